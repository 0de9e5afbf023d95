/** A clock that runs as the real one does and stands elsewhere: processes under test are put before midnight with it. */
import { Clock, Effect } from "effect"

/** Stands so many milliseconds from the given clock, asked anew at each reading; it sleeps as that one does. */
export const from = (clock: Clock.Clock, offsetMs: () => number): Clock.Clock => {
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + offsetMs()
  const currentTimeNanosUnsafe = () =>
    clock.currentTimeNanosUnsafe() + BigInt(Math.round(offsetMs())) * 1_000_000n
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Runs work on such a clock. */
export const provide =
  (offsetMs: () => number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => Effect.provideService(work, Clock.Clock, from(clock, offsetMs)))
