/**
 * The ways of a bridge between chains, for USDC at both ends: what is on no such way has none. Each bridge says which
 * pairs it connects; how a pair is found stands here alone.
 */
import { Effect } from "effect"
import type { End, Journey, Start } from "../../core/ports/bridge.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { keyOf } from "./contract.ts"
import * as Node from "./node.ts"
import { isOfNode } from "./node-failure.ts"
import type { RpcFailed } from "./rpc.ts"

/** A way and the nodes at its ends. */
export interface Between {
  readonly source: Node.Node
  readonly destination: Node.Node
}

export const endOf = ({ connection }: Node.Node): End => ({
  chainId: connection.chain.id,
  token: keyOf(connection.usdc)
})

/** What one chain is for a bridge, such as its node, and the token it carries there. */
interface Sides<Side> {
  readonly sides: ReadonlyArray<Side>
  readonly endOf: (side: Side) => End
}

/** All ways that `open` makes from one side to another. */
export const make = <Side, Way>(
  { endOf, sides }: Sides<Side>,
  open: (source: Side, destination: Side) => Way | undefined
) => {
  const isAt = (side: Side, { chainId, token }: End): boolean => {
    const end = endOf(side)
    return end.chainId === chainId && end.token === token
  }
  const all = sides.flatMap((source) =>
    sides.flatMap((destination) => {
      const way = source === destination ? undefined : open(source, destination)
      return way === undefined ? [] : [{ source, destination, way }]
    })
  )
  const find = ({ from, to }: Pick<Journey, "from" | "to">): Way | undefined =>
    all.find(({ destination, source }) => isAt(source, from) && isAt(destination, to))?.way
  return {
    all,
    find,
    /** Of something that is under way: that its way is no longer configured is a defect. */
    known: (journey: Pick<Journey, "from" | "to">): Way => {
      const way = find(journey)
      if (way !== undefined) return way
      throw new Error(`No way from ${journey.from.chainId} to ${journey.to.chainId} is configured.`)
    }
  }
}

/** A destination that does not answer is closed: asked only once the source has told that nothing has left. */
export const closedWhileAway = (
  { to }: Pick<Journey, "to">,
  asking: Effect.Effect<Start, ChainUnavailable>
): Effect.Effect<Start, ChainUnavailable> =>
  Effect.catchTag(asking, "ChainUnavailable", (failed) =>
    failed.chainId === to.chainId
      ? Effect.succeed<Start>({ _tag: "closed", reason: failed.message })
      : Effect.fail(failed)
  )

/** A failure of a node in the words of the port. */
export const on = <A, E>(
  node: Node.Node,
  asking: Effect.Effect<A, E | RpcFailed | ChainUnavailable>
) =>
  Effect.mapError(asking, (failed): Exclude<E, RpcFailed> | ChainUnavailable =>
    isOfNode(failed) ? Node.translate(node, failed) : (failed as Exclude<E, RpcFailed>)
  )
