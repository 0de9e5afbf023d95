/**
 * The whole log of the account taken out and checked as `bursar audit export` and `bursar audit verify` do, piece by
 * piece: how long that takes, and how far this process grows meanwhile.
 */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, DateTime, Effect } from "effect"
import { entryLines, signedLine } from "../../adapters/secrets/audit-export.ts"
import * as AuditFile from "../../apps/cli/audit-file.ts"
import type { Placed } from "../../core/audit/entry.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import type { Templates } from "./fill/templates.ts"

/** Work, its seconds, and the most that the process had beyond what it had before, in megabytes. */
const watched = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.memoryUsage().rss
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 50)
    const beganMs = yield* Clock.currentTimeMillis
    const result = yield* Effect.ensuring(
      work,
      Effect.sync(() => clearInterval(timer))
    )
    const seconds = ((yield* Clock.currentTimeMillis) - beganMs) / 1000
    return {
      result,
      told: `${seconds.toFixed(0)} s, ${((most - before) / 1e6).toFixed(0)} MB more`
    }
  })

const taken = Effect.fnUntraced(function* ({ caller }: Templates, path: string) {
  const calls = callsOf(caller)
  const signed = yield* calls.get_audit_checkpoint({})
  const { accountId } = caller
  yield* AuditFile.writing(path, (write) =>
    Effect.gen(function* () {
      let cursor: string | null = null
      do {
        const page: Effect.Success<ReturnType<typeof calls.list_audit_log>> =
          yield* calls.list_audit_log({
            limit: 100,
            order: "oldest",
            ...(cursor === null ? {} : { cursor })
          })
        const covered = page.entries.flatMap(
          ({ sequence, ...entry }): ReadonlyArray<Placed> =>
            sequence !== null && sequence < signed.treeSize
              ? [
                  {
                    ...entry,
                    createdAt: DateTime.makeUnsafe(entry.createdAt),
                    accountId,
                    sequence
                  }
                ]
              : []
        )
        yield* write(entryLines(covered))
        cursor = page.nextCursor ?? null
      } while (cursor !== null)
      yield* write(signedLine(signed))
    })
  )
  return signed
})

/** What to tell of it; dies where the log does not verify. */
export const verified = Effect.fnUntraced(function* (own: Templates) {
  const path = join(tmpdir(), `bursar-scale-${process.pid}.jsonl`)
  const export_ = yield* watched(taken(own, path))
  const { verifierKey } = export_.result
  const verify = yield* watched(AuditFile.verifyFile(path, verifierKey, []))
  const { head, ok, problems } = verify.result.report
  if (!ok) return yield* Effect.die(new Error(`The log does not verify: ${problems[0]?.message}`))
  return `${head?.treeSize} audit entries: exported in ${export_.told}; verified in ${verify.told}.`
})
