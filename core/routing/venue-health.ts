/**
 * Whether venues answer, found out by asking them for a small quote, once in a while for all who want to know. A
 * venue that has no way for the sample answers all the same.
 */
import { Clock, Context, Effect, Layer } from "effect"

/** How long what was found out holds. */
const keptMs = 30_000
const maxKept = 500

export class VenueHealth extends Context.Service<
  VenueHealth,
  {
    /** The reason why it does not answer, or undefined; `ask` runs only when nothing recent is known. */
    readonly of: <R>(
      name: string,
      ask: Effect.Effect<string | undefined, never, R>
    ) => Effect.Effect<string | undefined, never, R>
  }
>()("bursar/routing/VenueHealth") {}

export const layer = Layer.sync(VenueHealth, () => {
  const known = new Map<string, { readonly reason: string | undefined; readonly atMs: number }>()
  return {
    of: <R>(name: string, ask: Effect.Effect<string | undefined, never, R>) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const before = known.get(name)
        if (before !== undefined && nowMs - before.atMs < keptMs) return before.reason
        const reason = yield* ask
        known.delete(name)
        known.set(name, { reason, atMs: nowMs })
        const [oldest] = known.keys()
        if (known.size > maxKept && oldest !== undefined) known.delete(oldest)
        return reason
      })
  }
})
