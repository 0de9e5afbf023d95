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
  BridgeUnavailable,
  type Journey,
  NoRoute,
  type Offer,
  OutOfBounds,
  type Route
} from "../../../core/ports/bridge.ts"
import * as Ways from "../bridge-ways.ts"
import { type Between, on } from "../bridge-ways.ts"
import * as Node from "../node.ts"
import { checksOf, firstClosed } from "../usdc-ends.ts"
import type { Estimates } from "./estimates.ts"
import { unlinked } from "./links.ts"
import { find } from "./made.ts"
import { departureOf, isCancellation, orderOf } from "./order.ts"
import { readSource, standingOf, wayBackOf } from "./standing.ts"
import { strangersAt } from "./strangers.ts"
import * as Terms from "./terms.ts"
import { cancellationWithin, claimCost, gateFees, valueFor, violationOf } from "./way-back.ts"

/** What is quoted fills at once and not for long. */
const expiresInMs = 30_000
const typicalSeconds = 30
/** A dollar and more, in the six decimals of USDC. */
const minUnits = 1_000_000n
const maxUnits = 5_500_000_000_000n

const quoteOn = Effect.fnUntraced(function* (
  { destination, source }: Between,
  service: Estimates,
  asked: Asked
) {
  const { from, to, units } = asked
  const [fromNumber, toNumber] = [Dln.numberOf(from.chainId), Dln.numberOf(to.chainId)]
  if (fromNumber === undefined || toNumber === undefined) return yield* new NoRoute()
  if (units < minUnits || units > maxUnits) return yield* new OutOfBounds({ minUnits, maxUnits })
  const away = yield* unlinked({ destination, source })
  if (away !== undefined) return yield* new BridgeUnavailable({ detail: away })
  const feeBps = Number(yield* on(source, readSource(source, "globalTransferFeeBps")))
  const nativeFee = yield* on(source, readSource(source, "globalFixedNativeFee"))
  const gate = yield* on(destination, gateFees(destination, from.chainId))
  const claimUnits = yield* on(source, claimCost(source))
  const question = { fromNumber, fromToken: from.token, toNumber, toToken: to.token, units }
  const { arrives, seconds } = yield* service.estimate(question)
  // More than was given is no offer that anybody fills.
  const fee = arrives < units ? units - arrives : 0n
  const offer: Offer = {
    buyUnits: units - fee,
    minBuyUnits: units - fee,
    fees: [
      { kind: "bridge", token: from, units: fee },
      { kind: "protocol", token: null, units: nativeFee }
    ],
    estimatedSeconds: seconds,
    expiresInMs,
    terms: Terms.write({ feeBps, nativeFee }),
    wayBack: { cancelUnits: valueFor(gate, 0n), claimUnits }
  }
  return [offer] as const
})

const feesChanged = "The fees of limit orders have changed since they were asked for."

const closedBy = Effect.fnUntraced(function* ({ destination, source }: Between, journey: Journey) {
  const { from, receiver, sender, to } = journey
  const here = yield* on(source, firstClosed(source, checksOf(from, sender, "sending")))
  if (here !== undefined) return here
  const there = checksOf(to, receiver, "receiving")
  return yield* on(destination, firstClosed(destination, there))
})

/** Whether an order that was not made yet could be made, filled and taken back now. */
const openTo = Effect.fnUntraced(function* (way: Between, journey: Journey) {
  const { source } = way
  const reason = (yield* closedBy(way, journey)) ?? (yield* unlinked(way))
  if (reason !== undefined) return { _tag: "closed", reason } as const
  const quoted = Terms.find(journey)
  if (quoted === undefined) return { _tag: "open" } as const
  const fee = yield* on(source, readSource(source, "globalFixedNativeFee"))
  const share = yield* on(source, readSource(source, "globalTransferFeeBps"))
  if (fee !== quoted.nativeFee || Number(share) !== quoted.feeBps) {
    return { _tag: "closed", reason: feesChanged } as const
  }
  const violation = yield* on(way.destination, violationOf(way, orderOf(journey), journey))
  return violation === undefined
    ? ({ _tag: "open" } as const)
    : ({ _tag: "closed", reason: violation } as const)
})

const startOn = Effect.fnUntraced(function* (way: Between, journey: Journey) {
  const { source } = way
  const found = yield* on(source, find(source, journey))
  if (found === undefined) return yield* Ways.closedWhileAway(journey, openTo(way, journey))
  const { isFinal, isSame, txId } = found
  return { _tag: isSame ? "left" : "taken", txId, isFinal } as const
})

const refundOn = Effect.fnUntraced(function* (
  way: Between,
  journey: Journey,
  departed: TransactionId
) {
  const back = yield* on(way.destination, wayBackOf(way, journey, departed))
  if (back._tag !== "open") return back
  const found = yield* on(way.destination, cancellationWithin(way, back.order, journey))
  if (found.call === undefined) return { _tag: "closed", reason: found.reason } as const
  const { call, coinUnits } = found
  return { _tag: "cancellable", call, coinUnits } as const
})

/** The bridge between those of the connected chains that have limit orders; of USDC, which its order call takes directly. */
export const make = (connections: ReadonlyArray<Node.Connection>, service: Estimates): Bridge => {
  const sides = { sides: connections.map(Node.make), endOf: Ways.endOf }
  const ways = Ways.make(sides, (source, destination): Between | undefined =>
    Dln.connects(source.connection.chain.id, destination.connection.chain.id)
      ? { source, destination }
      : undefined
  )
  return {
    protocol: "dln",
    slips: true,
    routes: ways.all.map(({ way }) => routeOf(way)),
    quote: (asked) => {
      const way = ways.find(asked)
      return way === undefined ? Effect.fail(new NoRoute()) : quoteOn(way, service, asked)
    },
    departure: departureOf,
    isArrival: isCancellation,
    start: (journey) => startOn(ways.known(journey), journey),
    status: (journey, departed) => {
      const way = ways.known(journey)
      return on(way.destination, standingOf(way, journey, departed))
    },
    refund: (journey, departed) => refundOn(ways.known(journey), journey, departed),
    strangers: (journey, since) => {
      const { destination } = ways.known(journey)
      return on(destination, strangersAt(destination, journey, since))
    }
  }
}

const routeOf = ({ destination, source }: Between): Route => {
  return {
    from: Ways.endOf(source),
    to: Ways.endOf(destination),
    fees: "0.04 % and what whoever fills the order asks, beside a fixed fee in the chain's coin.",
    minUnits,
    maxUnits,
    typicalSeconds,
    notes: "Filled within seconds or not at all; what nobody fills is taken back after ten minutes."
  }
}
