/**
 * The event streams that are open: bounded in all and for each client, and ended at once when the service
 * stops, so that a page left open keeps no process alive.
 */
import { Context, Effect, Latch, Layer, type Scope } from "effect"

export interface Bounds {
  readonly most: number
  readonly mostPerClient: number
}

export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Whether one more may be opened for a client. */
    readonly hasRoom: (client: string) => boolean
    /** Takes a place until the scope ends. */
    readonly enter: (client: string) => Effect.Effect<void, never, Scope.Scope>
    /** Done when the service stops. */
    readonly closing: Effect.Effect<void>
    readonly close: Effect.Effect<unknown>
  }
>()("bursar/pages/OpenStreams") {}

/** Whoever comes from this machine is a proxy of ours, which speaks for everybody behind it. */
const own = /^(::ffff:)?127\.|^::1$/u

const usual: Bounds = { most: 1_000, mostPerClient: 20 }

export const layer = ({ most, mostPerClient }: Bounds = usual) =>
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
    return {
      hasRoom: (client) =>
        all < most && (own.test(client) || (open.get(client) ?? 0) < mostPerClient),
      enter: (client) =>
        Effect.acquireRelease(
          Effect.sync(() => count(client, 1)),
          () => Effect.sync(() => count(client, -1))
        ),
      closing: closed.await,
      close: closed.open
    }
  })

/** Ends them all first of what this layer stands upon. */
export const endingFirst = Layer.effectDiscard(
  Effect.flatMap(OpenStreams, ({ close }) => Effect.addFinalizer(() => close))
)
