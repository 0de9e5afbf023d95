/** A clock that stands elsewhere than the real one: processes under test are put before midnight with it. */
import { Clock, Duration, Effect } from "effect"

/** What it says when the real one says so many milliseconds; it sleeps as the real one does. */
export type Reading = (realMs: number) => number

const from = (clock: Clock.Clock, reading: Reading): Clock.Clock => {
  // One look at the real clock for each: two could differ by the millisecond that matters.
  const currentTimeMillisUnsafe = () => reading(clock.currentTimeMillisUnsafe())
  const currentTimeNanosUnsafe = () => BigInt(Math.round(currentTimeMillisUnsafe())) * 1_000_000n
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
  (reading: Reading) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => Effect.provideService(work, Clock.Clock, from(clock, reading)))

/** Runs work that sleeps so many times shorter than it means to: where what it waits for comes as much sooner. */
export const hurried =
  (times: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) =>
      Effect.provideService(work, Clock.Clock, {
        ...from(clock, (realMs) => realMs),
        sleep: (duration) => clock.sleep(Duration.divideUnsafe(duration, times))
      })
    )
