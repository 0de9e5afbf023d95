/**
 * USDC from one chain to another by its issuer (CCTP V2): burnt at the source, attested, minted at the destination. A
 * burn is never given up and never made twice; only its mint ends it.
 */
import { Effect } from "effect"
import * as Cctp from "../../../core/chains/cctp.ts"
import {
  type Asked,
  type Bridge,
  type BridgeUnavailable,
  type Journey,
  NoRoute,
  type Offer,
  OutOfBounds,
  type Route,
  type Standing
} from "../../../core/ports/bridge.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import { keyOf } from "../contract.ts"
import * as Node from "../node.ts"
import { isOfNode } from "../node-failure.ts"
import type { RpcFailed } from "../rpc.ts"
import type { Attestations, Fee } from "./attestations.ts"
import * as Burn from "./burn.ts"
import { fastThreshold, standardThreshold } from "./contracts.ts"
import { isDelivery } from "./delivery.ts"
import { closedBy, leastFee } from "./ends.ts"
import { standingOf, type Way } from "./standing.ts"
import * as Terms from "./terms.ts"

/** A quote is good for so long; what it costs is bounded by what the burn itself says. */
const expiresInMs = 60_000
/** Prices of fast transfers move; what a burn offers is a fifth above what is asked. */
const [marginUp, marginDown] = [6n, 5n]
/** A fast transfer is taken where it costs no more than so much of the amount. */
const fastWorthOneIn = 2_000n
/** The issuer's limit of one burn. */
const maxUnits = 10_000_000_000_000n
const minUnits = 2n
/** From the attestation to the mint in a block. */
const carryingSeconds = 15

const ceil = (units: bigint, by: bigint): bigint => (units + by - 1n) / by

const feeOf = (units: bigint, { basisPoints }: Fee): bigint =>
  ceil(units * basisPoints.units, 10n ** BigInt(basisPoints.places) * 10_000n)

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

interface Priced {
  readonly asked: Asked
  readonly least: bigint
  readonly seconds: number
}

/** What one way costs; undefined where the fee would eat the amount. */
const offerOf = (fee: Fee, { asked, least, seconds }: Priced): Offer | undefined => {
  const { from, units } = asked
  const expected = feeOf(units, fee)
  const isFast = fee.finalityThreshold < standardThreshold
  const maxFeeUnits = larger(least, isFast ? ceil(expected * marginUp, marginDown) : expected)
  if (maxFeeUnits >= units) return undefined
  return {
    buyUnits: units - expected,
    minBuyUnits: units - maxFeeUnits,
    fees: expected === 0n ? [] : [{ kind: "bridge", token: from, units: expected }],
    estimatedSeconds: seconds + carryingSeconds,
    expiresInMs,
    terms: Terms.write({ minFinality: fee.finalityThreshold })
  }
}

/** What arrives decides, unless the time that is saved costs next to nothing. */
const inOrder = (fast: Offer | undefined, standard: Offer | undefined, { units }: Asked) => {
  if (fast === undefined || standard === undefined)
    return [fast ?? standard].flatMap((one) => one ?? [])
  const isCheap = (standard.buyUnits - fast.buyUnits) * fastWorthOneIn <= units
  return isCheap ? [fast, standard] : [standard, fast]
}

type Failed = RpcFailed | ChainUnavailable

/** A failure of a node in the words of the port. */
const on = <A, E>(node: Node.Node, asking: Effect.Effect<A, E | Failed>) =>
  Effect.mapError(asking, (failed): Exclude<E, RpcFailed> | ChainUnavailable =>
    isOfNode(failed) ? Node.translate(node, failed) : (failed as Exclude<E, RpcFailed>)
  )

const quoteOn = Effect.fnUntraced(function* (way: Way, asked: Asked) {
  const { attestations, ends, source } = way
  const { typicalSeconds } = ends.from
  if (asked.units < minUnits || asked.units > maxUnits) {
    return yield* new OutOfBounds({ minUnits, maxUnits })
  }
  const least = yield* on(source, leastFee(source, ends.from.tokenMessenger, asked.units))
  const fees = yield* attestations.fees(ends.from.number, ends.to.number)
  const allowance = yield* attestations.fastAllowance
  const at = (threshold: number, seconds: number) => {
    const fee = fees.find(({ finalityThreshold }) => finalityThreshold === threshold)
    return fee && offerOf(fee, { asked, least, seconds })
  }
  const fast =
    typicalSeconds.fast === null || allowance < asked.units
      ? undefined
      : at(fastThreshold, typicalSeconds.fast)
  const [best, ...others] = inOrder(fast, at(standardThreshold, typicalSeconds.standard), asked)
  if (best === undefined) return yield* new OutOfBounds({ minUnits: least + minUnits, maxUnits })
  return [best, ...others] as const
})

const startOn = Effect.fnUntraced(function* ({ destination, ends, source }: Way, journey: Journey) {
  const burnt = yield* on(source, Burn.find(source, journey, ends))
  if (burnt !== undefined) {
    const { isFinal, isSame, txId } = burnt
    return { _tag: isSame ? "left" : "taken", txId, isFinal } as const
  }
  const reason = yield* on(destination, closedBy(source, destination, journey, ends))
  return reason === undefined ? ({ _tag: "open" } as const) : ({ _tag: "closed", reason } as const)
})

/** The bridge between those of the connected chains that the issuer connects. */
export const make = (
  connections: ReadonlyArray<Node.Connection>,
  attestationsOf: (network: Cctp.Network) => Attestations | undefined
): Bridge => {
  const nodes = new Map(connections.map((each) => [each.chain.id, Node.make(each)]))
  const wayBetween = (fromChainId: string, toChainId: string): Way | undefined => {
    const [source, destination] = [nodes.get(fromChainId), nodes.get(toChainId)]
    const ends = Cctp.between(fromChainId, toChainId)
    if (source === undefined || destination === undefined || ends === undefined) return undefined
    const attestations = attestationsOf(ends.from.network)
    return attestations && { source, destination, ends, attestations }
  }
  const wayOf = ({ from, to }: Pick<Journey, "from" | "to">) => {
    const way = wayBetween(from.chainId, to.chainId)
    const isUsdc =
      way?.source.connection.usdc === from.token && way.destination.connection.usdc === to.token
    return isUsdc ? way : undefined
  }
  const known = (journey: Journey): Way => {
    const way = wayOf(journey)
    if (way === undefined) throw new Error(`No way from ${journey.from.chainId} is configured.`)
    return way
  }
  return {
    protocol: "cctp",
    routes: Cctp.pairs.flatMap(({ fromChainId, toChainId }) => {
      const way = wayBetween(fromChainId, toChainId)
      return way === undefined ? [] : [routeOf(way)]
    }),
    quote: (asked) => {
      const way = wayOf(asked)
      return way === undefined ? Effect.fail(new NoRoute()) : quoteOn(way, asked)
    },
    departure: (journey) => Burn.departureOf(journey, known(journey).ends),
    isArrival: (journey, call) => isDelivery(journey, known(journey).ends, call),
    start: (journey) => startOn(known(journey), journey),
    status: (journey, departed): Effect.Effect<Standing, ChainUnavailable | BridgeUnavailable> => {
      const way = known(journey)
      return on(way.destination, standingOf(way, journey, departed))
    },
    refund: () => Effect.succeed({ _tag: "never" })
  }
}

const routeOf = ({ destination, ends, source }: Way): Route => {
  const { typicalSeconds } = ends.from
  const end = ({ connection }: Node.Node) => ({
    chainId: connection.chain.id,
    token: keyOf(connection.usdc)
  })
  return {
    from: end(source),
    to: end(destination),
    fees: "Nothing at the usual pace; up to 0.14 % for a fast transfer.",
    minUnits,
    maxUnits,
    typicalSeconds: (typicalSeconds.fast ?? typicalSeconds.standard) + carryingSeconds,
    notes:
      "Burnt on one chain and minted on the other by the issuer of USDC; it cannot be taken back."
  }
}
