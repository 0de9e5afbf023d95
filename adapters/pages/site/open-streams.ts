/**
 * The event streams that are open: bounded in all and for each client, and ended at once when the service
 * stops, so that a page left open keeps no process alive.
 */
import { Context, Effect, Latch, Layer, type Scope } from "effect"

export interface Bounds {
  readonly max: number
  readonly maxPerClient: number
}

export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Whether one more may be opened for a client. */
    readonly hasRoom: (client: string) => boolean
    /** Takes a place until the scope ends; false when there is none. */
    readonly enter: (client: string) => Effect.Effect<boolean, never, Scope.Scope>
    /** Done when the service stops. */
    readonly closing: Effect.Effect<void>
    readonly close: Effect.Effect<unknown>
  }
>()("bursar/pages/OpenStreams") {}

const defaults: Bounds = { max: 1_000, maxPerClient: 20 }

export const layer = ({ max, maxPerClient }: Bounds = defaults) =>
  Layer.sync(OpenStreams, () => {
    const open = new Map<string, number>()
    const closed = Latch.makeUnsafe()
    let all = 0
    const count = (client: string, by: 1 | -1) => {
      const now = (open.get(client) ?? 0) + by
      if (now === 0) open.delete(client)
      else open.set(client, now)
      all += by
    }
    const hasRoom = (client: string) => all < max && (open.get(client) ?? 0) < maxPerClient
    return {
      hasRoom,
      enter: (client) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            if (!hasRoom(client)) return false
            count(client, 1)
            return true
          }),
          (entered) => Effect.sync(() => (entered ? count(client, -1) : undefined))
        ),
      closing: closed.await,
      close: closed.open
    }
  })

/** Ends them all first of what this layer stands upon. */
export const endingFirst = Layer.effectDiscard(
  Effect.flatMap(OpenStreams, ({ close }) => Effect.addFinalizer(() => close))
)
