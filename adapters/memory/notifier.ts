/** Hints between the workers of one process: a listener that is not waiting keeps one hint until it waits. */
import { Effect, Latch, Layer } from "effect"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"

interface Listener {
  readonly topic: Topic
  readonly latch: Latch.Latch
}

export const layer: Layer.Layer<Notifier> = Layer.sync(Notifier, () => {
  const listeners = new Set<Listener>()
  return {
    signal: (topic) =>
      Effect.suspend(() =>
        Effect.forEach(
          [...listeners].filter((listener) => listener.topic === topic),
          ({ latch }) => latch.open,
          { discard: true }
        )
      ),
    listen: (topic) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const listener = { topic, latch: Latch.makeUnsafe() }
          listeners.add(listener)
          return listener
        }),
        (listener) => Effect.sync(() => listeners.delete(listener))
      ).pipe(Effect.map(({ latch }) => Effect.andThen(latch.await, Effect.asVoid(latch.close))))
  }
})
