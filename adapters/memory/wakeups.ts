/** Hints between the workers of one process: a listener that is not waiting keeps one hint until it waits. */
import { Effect, Latch, Layer } from "effect"
import { type Topic, Wakeups } from "../../core/ports/wakeups.ts"

export const layer: Layer.Layer<Wakeups> = Layer.sync(Wakeups, () => {
  const listeners: Readonly<Record<Topic, Set<Latch.Latch>>> = {
    deliveries: new Set(),
    tasks: new Set(),
    payments: new Set()
  }
  return {
    signal: (topic) =>
      Effect.suspend(() => Effect.forEach([...listeners[topic]], Latch.open, { discard: true })),
    listen: (topic) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const latch = Latch.makeUnsafe()
          listeners[topic].add(latch)
          return latch
        }),
        (latch) => Effect.sync(() => listeners[topic].delete(latch))
      ).pipe(Effect.map((latch) => Effect.andThen(latch.await, Effect.asVoid(latch.close))))
  }
})
