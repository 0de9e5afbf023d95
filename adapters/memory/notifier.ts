/** Hints between the workers of one process. */
import { Effect, Layer } from "effect"
import * as Hints from "../../core/background/hints.ts"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"

interface Listener {
  readonly topic: Topic
  readonly subject: string | undefined
  readonly hints: Hints.Hints
}

export const layer: Layer.Layer<Notifier> = Layer.sync(Notifier, () => {
  const listeners = new Set<Listener>()
  return {
    signal: (topic, subject) =>
      Effect.sync(() => {
        for (const each of listeners) {
          if (each.topic === topic && each.subject === subject) each.hints.hear()
        }
      }),
    listen: (topic, subject) =>
      Effect.acquireRelease(
        Effect.map(Hints.make, (hints) => {
          const listener: Listener = { topic, subject, hints }
          listeners.add(listener)
          return listener
        }),
        (listener) => Effect.sync(() => listeners.delete(listener))
      ).pipe(Effect.map(({ hints }) => hints.wait))
  }
})
