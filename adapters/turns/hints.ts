/** Hints that a listener has not waited for yet: how many there were, and nothing else about them. */
import { Effect, Latch } from "effect"

export interface Hints {
  readonly hear: () => void
  /** Waits for the first since it was last waited for, and says how many there were. */
  readonly wait: Effect.Effect<number>
}

export const make = (): Hints => {
  const isHeard = Latch.makeUnsafe()
  let heard = 0
  return {
    hear: () => {
      heard += 1
      isHeard.openUnsafe()
    },
    wait: Effect.map(isHeard.await, () => {
      const count = heard
      heard = 0
      isHeard.closeUnsafe()
      return count
    })
  }
}
