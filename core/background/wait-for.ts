/**
 * Waiting for what somebody else brings about: a hint wakes whoever waits, and now and then they look on their
 * own, so that a lost hint costs time and nothing else. Never call it inside a transaction.
 */
import { Clock, Duration, Effect } from "effect"
import { Notifier, type Topic } from "../ports/notifier.ts"
import { PollInterval } from "./loop.ts"

/** Looks until `leftMs` says that nothing more is waited for, and gives what was seen last. */
export const waitFor = <A, E, R>(
  topic: Topic,
  subject: string,
  look: Effect.Effect<A, E, R>,
  /** How long to wait on, by what was seen and the time in milliseconds; nothing more at 0 or below. */
  leftMs: (seen: A, nowMs: number) => number,
  /** What was seen a moment ago. With it the first look comes after a hint or a poll interval, not at once. */
  known?: A
): Effect.Effect<A, E, R | Notifier> =>
  Effect.gen(function* () {
    const hinted = yield* (yield* Notifier).listen(topic, subject)
    const lookAgain = yield* PollInterval
    let seen = known ?? (yield* look)
    let left = leftMs(seen, yield* Clock.currentTimeMillis)
    while (left > 0) {
      yield* Effect.raceFirst(hinted, Effect.sleep(Duration.min(Duration.millis(left), lookAgain)))
      seen = yield* look
      left = leftMs(seen, yield* Clock.currentTimeMillis)
    }
    return seen
  }).pipe(Effect.scoped)
