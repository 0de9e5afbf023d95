/** Hints between the workers of one process: a listener that is not waiting keeps one hint until it waits. */
import { Effect, Latch, Layer } from "effect"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"

interface Listener {
  readonly topic: Topic
  readonly subject: string | undefined
  readonly latch: Latch.Latch
}

export const layer: Layer.Layer<Notifier> = Layer.sync(Notifier, () => {
  const listeners = new Set<Listener>()
  return {
    signal: (topic, subject) =>
      Effect.suspend(() =>
        Effect.forEach(
          [...listeners].filter((each) => each.topic === topic && each.subject === subject),
          ({ latch }) => latch.open,
          { discard: true }
        )
      ),
    listen: (topic, subject) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const listener: Listener = { topic, subject, latch: Latch.makeUnsafe() }
          listeners.add(listener)
          return listener
        }),
        (listener) => Effect.sync(() => listeners.delete(listener))
      ).pipe(Effect.map(({ latch }) => Effect.andThen(latch.await, Effect.asVoid(latch.close))))
  }
})
