/** Hints that a listener has not waited for yet: how many there were, and nothing else about them. */
import { Effect, Queue } from "effect"

export interface Hints {
  /** Whoever waits goes on a little later, and not before this returns. */
  readonly hear: () => void
  /** Waits for the first since it was last waited for, and says how many there were. */
  readonly wait: Effect.Effect<number>
}

export const make: Effect.Effect<Hints> = Effect.map(Queue.sliding<void>(1), (isHeard) => {
  let heard = 0
  return {
    hear: () => {
      heard += 1
      Queue.offerUnsafe(isHeard, undefined)
    },
    wait: Effect.map(Queue.take(isHeard), () => {
      const count = heard
      heard = 0
      return count
    })
  }
})
