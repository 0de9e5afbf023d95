/**
 * USDC from one chain to another by its issuer (CCTP V2): burnt at the source, attested, minted at the destination. A
 * burn is never given up and never made twice; only its mint ends it.
 */
import { Effect } from "effect"
import * as Cctp from "../../../core/chains/cctp.ts"
import {
  type Asked,
  type Bridge,
  type BridgeContradicted,
  type BridgeUnavailable,
  type Journey,
  NoRoute,
  type Offer,
  OutOfBounds,
  type Route,
  type Standing
} from "../../../core/ports/bridge.ts"
import type { Burn, CctpEnd } from "../../../core/ports/cctp-ends.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import * as Ways from "../bridge-ways.ts"
import type { Connection } from "../node.ts"
import type { Attestations, Fee } from "./attestations.ts"
import { fastThreshold, standardThreshold } from "./contracts.ts"
import { isDelivery } from "./delivery.ts"
import { endOf } from "./end.ts"
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
    terms: Terms.write({ minFinality: fee.finalityThreshold }),
    wayBack: null
  }
}

/** What arrives decides, unless the time that is saved costs next to nothing. */
const inOrder = (fast: Offer | undefined, standard: Offer | undefined, { units }: Asked) => {
  if (fast === undefined || standard === undefined)
    return [fast ?? standard].flatMap((one) => one ?? [])
  const isCheap = (standard.buyUnits - fast.buyUnits) * fastWorthOneIn <= units
  return isCheap ? [fast, standard] : [standard, fast]
}

const quoteOn = Effect.fnUntraced(function* (way: Way, asked: Asked) {
  const { attestations, burning, from, to } = way
  const { typicalSeconds } = from
  if (asked.units < minUnits || asked.units > maxUnits) {
    return yield* new OutOfBounds({ minUnits, maxUnits })
  }
  const least = yield* burning.minFee(asked.units)
  const fees = yield* attestations.fees(from.number, to.number)
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

/** The burn of a journey, as both ends are told of it. */
const burnOf = ({ minting, to }: Way, journey: Journey): Burn => ({
  journey,
  domain: to.number,
  recipient: minting.recipientOf(journey.receiver),
  maxFeeUnits: Terms.maxFeeOf(journey),
  minFinality: Terms.minFinalityOf(journey)
})

const startOn = Effect.fnUntraced(function* (way: Way, journey: Journey) {
  const { burning, minting, origin } = way
  const burn = burnOf(way, journey)
  const burnt = yield* burning.find(burn)
  if (burnt !== undefined) {
    const { isFinal, isSame, txId } = burnt
    return { _tag: isSame ? "left" : "taken", txId, isFinal } as const
  }
  const asking = Effect.gen(function* () {
    const reason = (yield* burning.closed(burn)) ?? (yield* minting.closed(journey, origin))
    return reason === undefined
      ? ({ _tag: "open" } as const)
      : ({ _tag: "closed", reason } as const)
  })
  return yield* Ways.closedWhileAway(journey, asking)
})

const endsOf = (
  connections: ReadonlyArray<Connection>,
  others: ReadonlyArray<CctpEnd>
): ReadonlyArray<CctpEnd> => [
  ...connections.flatMap((connection) => {
    const domain = Cctp.domainOf(connection.chain.id)
    return domain === undefined ? [] : [endOf(connection, domain)]
  }),
  ...others
]

/** The bridge between those of the connected chains that the issuer connects; the others are of other families. */
export const make = (
  connections: ReadonlyArray<Connection>,
  attestationsOf: (network: Cctp.Network) => Attestations | undefined,
  others: ReadonlyArray<CctpEnd> = []
): Bridge => {
  const endOfSide = ({ chainId, token }: CctpEnd) => ({ chainId, token })
  const wayBetween = (source: CctpEnd, destination: CctpEnd): Way | undefined => {
    const { burning } = source
    const { minting } = destination
    const between = Cctp.between(source.chainId, destination.chainId)
    if (burning === undefined || minting === undefined || between === undefined) return undefined
    const attestations = attestationsOf(between.from.network)
    const { burnToken, messenger } = burning
    const origin = { chainId: source.chainId, domain: between.from.number, messenger, burnToken }
    return attestations && { ...between, burning, minting, origin, attestations }
  }
  const ways = Ways.make({ sides: endsOf(connections, others), endOf: endOfSide }, wayBetween)
  return {
    protocol: "cctp",
    slips: false,
    routes: ways.all.map(({ destination, source, way }) => routeOf(way, source, destination)),
    quote: (asked) => {
      const way = ways.find(asked)
      return way === undefined ? Effect.fail(new NoRoute()) : quoteOn(way, asked)
    },
    departure: (journey) => {
      const way = ways.known(journey)
      const { minFinality } = Terms.read(journey)
      return way.burning.departure({ ...burnOf(way, journey), minFinality })
    },
    isArrival: (journey, call) => {
      const { minting } = ways.known(journey)
      const recipient = minting.recipientOf(journey.receiver)
      const { messageIn, messenger } = minting
      return isDelivery(journey, messageIn(call), { messenger, recipient })
    },
    start: (journey) => startOn(ways.known(journey), journey),
    status: (
      journey,
      departed
    ): Effect.Effect<Standing, ChainUnavailable | BridgeUnavailable | BridgeContradicted> => {
      const way = ways.known(journey)
      return standingOf(way, burnOf(way, journey), departed)
    },
    refund: () => Effect.succeed({ _tag: "never" })
  }
}

const routeOf = ({ from: { typicalSeconds } }: Way, from: CctpEnd, to: CctpEnd): Route => ({
  from: { chainId: from.chainId, token: from.token },
  to: { chainId: to.chainId, token: to.token },
  fees: "Nothing at the usual pace; up to 0.14 % for a fast transfer.",
  minUnits,
  maxUnits,
  typicalSeconds: (typicalSeconds.fast ?? typicalSeconds.standard) + carryingSeconds,
  notes:
    "Burnt on one chain and minted on the other by the issuer of USDC; it cannot be taken back."
})
