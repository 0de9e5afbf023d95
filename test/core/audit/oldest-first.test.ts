/** A log is read from its beginning on, page by page, as an export takes it: nothing is skipped nor told twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beginVerifying } from "../../../adapters/secrets/audit-export.ts"
import { maxProblems } from "../../../core/audit/verify.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { anExport } from "../../support/audit-log.ts"
import { owner } from "../../support/full-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

it.effect(
  "pages from the oldest entry on hold every place once, those that come meanwhile too",
  () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42", TestClock.adjust("1 second"))
      const call = callsOf(own.caller)
      yield* call.get_audit_checkpoint({})
      const places: Array<number | null> = []
      let cursor: string | null | undefined
      do {
        const more = typeof cursor === "string" ? { cursor } : {}
        const page = yield* call.list_audit_log({ order: "oldest", limit: 3, ...more })
        places.push(...page.entries.map(({ sequence }) => sequence))
        if (cursor === undefined) {
          yield* call.create_api_key({ scopes: ["account:read"] })
          yield* call.get_audit_checkpoint({})
        }
        cursor = page.nextCursor
      } while (cursor !== null)
      const { treeSize } = yield* call.get_audit_checkpoint({})
      assert.isAbove(treeSize, 10)
      assert.deepStrictEqual(
        places,
        Array.from({ length: treeSize }, (_, at) => at)
      )
    }).pipe(Effect.provide(memoryTreasury))
)

it.effect("the whole log alone is told from its beginning, by cursors of its own", () =>
  Effect.gen(function* () {
    const own = yield* owner("user_42", TestClock.adjust("1 second"))
    const call = callsOf(own.caller)
    const { nextCursor } = yield* call.list_audit_log({ limit: 1 })
    const narrowed = [
      { since: "1970-01-01T00:00:00Z" },
      { until: "2100-01-01T00:00:00Z" },
      { subjectId: own.requestId }
    ]
    for (const filter of narrowed) {
      const refused = yield* Effect.flip(call.list_audit_log({ order: "oldest", ...filter }))
      assert.deepInclude(refused, { _tag: "INVALID_REQUEST", param: "order" })
    }
    const other = { order: "oldest", cursor: nextCursor ?? "" } as const
    assert.deepInclude(yield* Effect.flip(call.list_audit_log(other)), { param: "cursor" })
  }).pipe(Effect.provide(memoryTreasury))
)

describe("an export that is read line by line", () => {
  const log = anExport(3)
  const last = log.text.trimEnd().split("\n").at(-1)

  it("is read no further once a thousand things are wrong with it", () => {
    const checking = beginVerifying(last, log.verifierKey, [])
    if (!("line" in checking)) return assert.fail("The checkpoint was not taken.")
    let taken = 0
    while (checking.line(`not an entry ${taken}`)) taken++
    assert.strictEqual(taken + 1, maxProblems)
    assert.isFalse(checking.line("nor this"))
    const { ok, problems } = checking.end().report
    assert.deepStrictEqual([ok, problems.length], [false, maxProblems])
  })

  it("is not begun without a checkpoint at its end", () => {
    for (const line of [undefined, "", "{}", log.text.split("\n")[0]]) {
      const found = beginVerifying(line, log.verifierKey, [])
      assert.isTrue("report" in found && found.report.problems[0]?.code === "no_checkpoint")
    }
  })
})
