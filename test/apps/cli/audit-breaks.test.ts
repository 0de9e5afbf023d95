/** `bursar audit verify` on a log whose records were replaced by a standby that lacked its end: the break is named. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as MemorySecrets from "../../../adapters/memory/secrets.ts"
import { exportLines } from "../../../adapters/secrets/audit-export.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import { entriesUpTo } from "../../../core/audit/log.ts"
import { ran } from "../../support/command-line.ts"
import * as Lines from "../../support/lines.ts"
import * as Rows from "../../support/rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-audit-breaks-")

const records = Effect.suspend(() => Layer.build(Layer.merge(Memory.layer(), MemorySecrets.layer)))

const account = Rows.anAccount()

const appended = Effect.fnUntraced(function* (from: number, to: number) {
  const entries = Array.from({ length: to - from }, (_, at) =>
    Rows.anEntry(account.id, { createdAt: Rows.at(from + at), subjectId: `thing-${from + at}` })
  )
  yield* (yield* Audit).append(entries)
})

const exported = Effect.gen(function* () {
  const checkpoint = yield* checkpointOf(account.id)
  const log = yield* entriesUpTo(account.id, checkpoint.treeSize)
  return { ...checkpoint, text: exportLines(log, checkpoint) }
})

/** The log after the break, and the last checkpoint before it, of which the log has lost two entries. */
const broken = Effect.gen(function* () {
  const [first, standby] = [yield* records, yield* records]
  for (const each of [first, standby]) {
    yield* Effect.gen(function* () {
      yield* (yield* Accounts).open(account)
      yield* appended(0, 4)
      yield* exported
    }).pipe(Effect.provideContext(each))
  }
  const late = yield* Effect.provideContext(Effect.andThen(appended(50, 52), exported), first)
  const log = yield* Effect.gen(function* () {
    yield* Lines.beginInMemory(2, Rows.at(100))
    yield* appended(200, 203)
    return yield* exported
  }).pipe(Effect.provideContext(standby))
  return { late, log }
})

it.live("a break is named with what the kept checkpoints prove to be lost, and no forged one", () =>
  Effect.gen(function* () {
    const { late, log } = yield* broken
    const folder = yield* directory
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const kept = file("late", late.checkpoint)
    const verify = (path: string, ...more: ReadonlyArray<string>) =>
      ran(["audit", "verify", path, "--key", log.verifierKey, ...more], {})
    const whole = file("log", log.text)
    const named = yield* verify(whole, "--checkpoint", kept)
    assert.deepStrictEqual([named.exitCode, named.stderr], [0, ""])
    const [said, last] = named.stdout.trimEnd().split("\n")
    assert.match(
      said ?? "",
      /replaced before entry 4: line 2 goes on .* line 1.*at least 2 of them were there\.$/u
    )
    assert.match(last ?? "", /^All 8 entries .*; breaks: 1\.$/u)
    const asked = yield* verify(whole, "--checkpoint", kept, "--json")
    const [each, ...others] = JSON.parse(asked.stdout).breaks
    assert.lengthOf(others, 0)
    assert.deepInclude(each, { sequence: 4, line: 2, lineBefore: 1, lost: 2 })
    // Without a checkpoint of the line before nobody can tell what is lost, and the break is named all the same.
    const alone = yield* verify(whole)
    assert.deepStrictEqual(alone.exitCode, 0)
    assert.match(alone.stdout, /; breaks: 1\.\n$/u)
    const forged = file("forged", log.text.replace('"lineBefore":"1"', '"lineBefore":"0"'))
    const refused = yield* verify(forged)
    assert.deepStrictEqual([refused.exitCode, refused.stdout], [1, ""])
    assert.match(refused.stderr, /^(?:altered_entry|forged_break): .*\(line 5\)$/mu)
  }).pipe(Effect.scoped)
)
