/**
 * Says what failed of work that is tried again. While the records take no writes or do not answer, all work fails for
 * that one reason: it is one line, and again every few minutes.
 */
import { type Cause, Clock, Context, Effect } from "effect"
import { type Outage, outageOf } from "../ports/records.ts"

const elapsedMs = Clock.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
)

interface Seen {
  readonly seenMs: number
  readonly saidMs: number
}

/** What was seen last of each outage by this process, by a clock that no one can set. */
export const Outages = Context.Reference<Map<Outage["_tag"], Seen>>("bursar/background/Outages", {
  defaultValue: () => new Map()
})

/** An outage of which nothing was seen for so long is over. */
const overAfterMs = 30_000

const againAfterMs = 5 * 60_000

const sentences: Readonly<Record<Outage["_tag"], string>> = {
  RecordsReadOnly:
    "Nothing is written, what only reads goes on, and the rest does by itself once there is room.",
  RecordsAway: "All work waits for it, and goes on by itself."
}

const goesOn = (seen: Seen | undefined, nowMs: number): seen is Seen =>
  seen !== undefined && seen.seenMs <= nowMs && nowMs - seen.seenMs < overAfterMs

/** Says an outage when it begins, and again every few minutes. */
export const note = (outage: Outage): Effect.Effect<void> =>
  Effect.gen(function* () {
    const outages = yield* Outages
    const nowMs = yield* elapsedMs
    const seen = outages.get(outage._tag)
    const isSaid = goesOn(seen, nowMs) && nowMs - seen.saidMs < againAfterMs
    outages.set(outage._tag, { seenMs: nowMs, saidMs: isSaid ? seen.saidMs : nowMs })
    if (!isSaid) yield* Effect.logError(`${outage.message}. ${sentences[outage._tag]}`)
  })

/** Whether no write of this process failed a moment ago because nothing can be written. */
export const mayWrite: Effect.Effect<boolean> = Effect.gen(function* () {
  return !goesOn((yield* Outages).get("RecordsReadOnly"), yield* elapsedMs)
})

/** A fault of ours is told whole. */
export const logFailure = (message: string, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const outage = outageOf(cause)
  return outage === undefined ? Effect.logWarning(message, cause) : note(outage)
}
