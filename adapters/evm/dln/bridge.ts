/**
 * Tokens from one chain to another by limit orders (deBridge DLN): given at the source, filled at the destination by
 * whoever finds it worth it, and given back when nobody does and the receiving wallet takes the order back.
 */
import { Effect } from "effect"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Dln from "../../../core/chains/dln.ts"
import {
  type Asked,
  type Bridge,
  type Journey,
  NoRoute,
  type Offer,
  OutOfBounds,
  type Route
} from "../../../core/ports/bridge.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import { keyOf } from "../contract.ts"
import * as Node from "../node.ts"
import { isOfNode } from "../node-failure.ts"
import type { RpcFailed } from "../rpc.ts"
import type { Estimates } from "./estimates.ts"
import {
  cancellationOf,
  departureOf,
  idOf,
  isCancellation,
  maxCancellationWei,
  orderOf
} from "./order.ts"
import { find, readSource, standingOf, type Way, wayBackOf } from "./standing.ts"
import * as Terms from "./terms.ts"

/** What is quoted fills at once and not for long. */
const expiresInMs = 30_000
const typicalSeconds = 30
/** A dollar and more, in the six decimals of USDC. */
const minUnits = 1_000_000n
const maxUnits = 5_500_000_000_000n

type Failed = RpcFailed | ChainUnavailable

/** A failure of a node in the words of the port. */
const on = <A, E>(node: Node.Node, asking: Effect.Effect<A, E | Failed>) =>
  Effect.mapError(asking, (failed): Exclude<E, RpcFailed> | ChainUnavailable =>
    isOfNode(failed) ? Node.translate(node, failed) : (failed as Exclude<E, RpcFailed>)
  )

const quoteOn = Effect.fnUntraced(function* ({ source }: Way, service: Estimates, asked: Asked) {
  const { from, to, units } = asked
  const [fromNumber, toNumber] = [Dln.numberOf(from.chainId), Dln.numberOf(to.chainId)]
  if (fromNumber === undefined || toNumber === undefined) return yield* new NoRoute()
  if (units < minUnits || units > maxUnits) return yield* new OutOfBounds({ minUnits, maxUnits })
  const feeBps = Number(yield* on(source, readSource(source, "globalTransferFeeBps")))
  const nativeFee = yield* on(source, readSource(source, "globalFixedNativeFee"))
  const question = { fromNumber, fromToken: from.token, toNumber, toToken: to.token, units }
  const { arrives, seconds } = yield* service.estimate(question)
  // More than was given is no offer that anybody fills.
  const fee = arrives < units ? units - arrives : 0n
  const offer: Offer = {
    buyUnits: units - fee,
    minBuyUnits: units - fee,
    fees: [{ kind: "bridge", token: from, units: fee }],
    estimatedSeconds: seconds,
    expiresInMs,
    terms: Terms.write({ feeBps, nativeFee })
  }
  return [offer] as const
})

const feesChanged = "The fees of limit orders have changed since they were asked for."

const startOn = Effect.fnUntraced(function* (way: Way, journey: Journey) {
  const quoted = Terms.find(journey)
  if (quoted === undefined) return { _tag: "open" } as const
  const found = yield* on(way.source, find(way, journey))
  if (found !== undefined) return { _tag: "left", ...found } as const
  const fee = yield* on(way.source, readSource(way.source, "globalFixedNativeFee"))
  const share = yield* on(way.source, readSource(way.source, "globalTransferFeeBps"))
  return fee === quoted.nativeFee && Number(share) === quoted.feeBps
    ? ({ _tag: "open" } as const)
    : ({ _tag: "closed", reason: feesChanged } as const)
})

const refundOn = Effect.fnUntraced(function* (
  way: Way,
  service: Estimates,
  journey: Journey,
  departed: TransactionId
) {
  const back = yield* on(way.destination, wayBackOf(way, journey, departed))
  if (back !== undefined) return back
  const asked = yield* service.cancellationValue(idOf(orderOf(journey)))
  // biome-ignore lint/complexity/useMathMinMax: of bigints.
  const value = asked > maxCancellationWei ? maxCancellationWei : asked
  return { _tag: "cancellable", call: cancellationOf(journey, value, 0n) } as const
})

/** The bridge between those of the connected chains that have limit orders; of USDC, which its order call takes directly. */
export const make = (connections: ReadonlyArray<Node.Connection>, service: Estimates): Bridge => {
  const nodes = new Map(connections.map((each) => [each.chain.id, Node.make(each)]))
  const wayBetween = (fromChainId: string, toChainId: string): Way | undefined => {
    const [source, destination] = [nodes.get(fromChainId), nodes.get(toChainId)]
    return source && destination && Dln.connects(fromChainId, toChainId)
      ? { source, destination }
      : undefined
  }
  const wayOf = ({ from, to }: Pick<Journey, "from" | "to">) => {
    const way = wayBetween(from.chainId, to.chainId)
    const isUsdc =
      way?.source.connection.usdc === from.token && way.destination.connection.usdc === to.token
    return isUsdc ? way : undefined
  }
  const known = (journey: Journey): Way => {
    const way = wayOf(journey)
    if (way === undefined) throw new Error(`No orders from ${journey.from.chainId} are configured.`)
    return way
  }
  return {
    protocol: "dln",
    routes: [...nodes.keys()].flatMap((fromChainId) =>
      [...nodes.keys()].flatMap((toChainId) => {
        const way = wayBetween(fromChainId, toChainId)
        return way === undefined ? [] : [routeOf(way)]
      })
    ),
    quote: (asked) => {
      const way = wayOf(asked)
      return way === undefined ? Effect.fail(new NoRoute()) : quoteOn(way, service, asked)
    },
    departure: departureOf,
    isArrival: isCancellation,
    start: (journey) => startOn(known(journey), journey),
    status: (journey, departed) => {
      const way = known(journey)
      return on(way.destination, standingOf(way, journey, departed))
    },
    refund: (journey, departed) => refundOn(known(journey), service, journey, departed)
  }
}

const routeOf = ({ destination, source }: Way): Route => {
  const end = ({ connection }: Node.Node) => ({
    chainId: connection.chain.id,
    token: keyOf(connection.usdc)
  })
  return {
    from: end(source),
    to: end(destination),
    fees: "0.04 % and what whoever fills the order asks, beside a fixed fee in the chain's coin.",
    minUnits,
    maxUnits,
    typicalSeconds,
    notes: "Filled within seconds or not at all; what nobody fills is taken back after ten minutes."
  }
}
