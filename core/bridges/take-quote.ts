/**
 * Asks every bridge that has a way, takes the best offer and prices it by sources that no bridge has a part in. It asks
 * the network, and stores nothing.
 */
import { DateTime, Effect } from "effect"
import { shown } from "../chains/address.ts"
import * as Coin from "../chains/coin.ts"
import type { Usd } from "../money/usd.ts"
import * as UsdAmount from "../money/usd.ts"
import { Caller } from "../operation/caller.ts"
import { InvalidAmount, UpstreamUnavailable } from "../operation/refusal.ts"
import * as Port from "../ports/bridge.ts"
import { Ids } from "../ports/ids.ts"
import {
  bpsOf,
  defaultSlippagePercent,
  type Fee,
  type Quote,
  type TokenView
} from "../quotes/quote.ts"
import { RouteNotAvailable, VenueUnavailable } from "../quotes/refusals.ts"
import { notCarried } from "../routing/route.ts"
import * as Worth from "../sales/worth.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { PriceUnavailable } from "../tokens/refusals.ts"
import type { Pinned } from "../tokens/token.ts"
import { approvedOf, coinsOf, costOf, worthOf as worthOfCoin, write } from "./max-coin.ts"
import { stuckProtocols } from "./stuck.ts"
import type { Subject } from "./subject.ts"

export const refusals = [
  RouteNotAvailable,
  VenueUnavailable,
  PriceUnavailable,
  InvalidAmount,
  UpstreamUnavailable
] as const

const tokenView = ({ address, chainId, decimals, symbol }: Pinned): TokenView => ({
  chainId,
  tokenAddress: shown(chainId, address),
  symbol,
  decimals
})

const endOf = ({ address, chainId }: Pinned): Port.End => ({ chainId, token: address })

const noRoute = ({ from, to }: Subject) =>
  new RouteNotAvailable({
    param: "toWalletId",
    message: `${notCarried(from.chainId, to.chainId)}; choose another chain or USDC.`,
    details: { fromChainId: from.chainId, toChainId: to.chainId },
    next: {
      operation: "get_routing_guide",
      args: { fromChainId: from.chainId, toChainId: to.chainId }
    }
  })

const beyond = ({ maxUnits, minUnits }: Port.OutOfBounds) =>
  new InvalidAmount({
    param: "amountUsd",
    message: "No bridge carries such an amount; details has the bounds.",
    details: {
      minSmallestUnit: String(minUnits),
      maxSmallestUnit: maxUnits === null ? null : String(maxUnits)
    }
  })

type Failure = Effect.Error<ReturnType<Port.Bridge["quote"]>>

/** What it is refused with when no bridge carries it: what can be mended comes first. */
const refusedBy = (failures: ReadonlyArray<Failure>, subject: Subject) => {
  const bounds = failures.find((failure) => failure._tag === "OutOfBounds")
  if (bounds !== undefined) return beyond(bounds)
  const away = failures.find((failure) => failure._tag === "BridgeUnavailable")
  if (away !== undefined) return new VenueUnavailable({ message: `${away.detail} Try again soon.` })
  const unreachable = failures.find((failure) => failure._tag === "ChainUnavailable")
  if (unreachable === undefined) return noRoute(subject)
  const { chainId } = unreachable
  const message = `The chain ${chainId} does not respond; try again in a moment.`
  return new UpstreamUnavailable({ message, details: { chainId } })
}

interface Best {
  readonly bridge: Port.Bridge
  readonly offer: Port.Offer
  readonly maxCoin: Port.MaxCoin | undefined
}

/** Every bridge but those by which something is stuck between the two chains; they are left alone until it arrived. */
const openBridges = Effect.fnUntraced(function* ({ from, to }: Subject) {
  const { accountId } = yield* Caller
  const bridges = yield* Port.Bridges
  const stuck = yield* stuckProtocols(accountId, from.chainId, to.chainId)
  const open = bridges.filter(({ protocol }) => !stuck.includes(protocol))
  return open.length === 0 ? bridges : open
})

const noCoinPrice = ({ from, to }: Subject) =>
  new PriceUnavailable({
    param: "toWalletId",
    message: `What it costs in the coins of ${from.chainId} and ${to.chainId} has no price that two sources agree on; try again in a minute.`,
    details: { symbol: Coin.of(to.chainId).symbol }
  })

/** The offer by which most arrives, among the best of each bridge. */
const bestOf = Effect.fnUntraced(function* (subject: Subject, units: bigint) {
  const asked = { from: endOf(subject.sell), to: endOf(subject.buy), units }
  const bridges = yield* openBridges(subject)
  const asking = bridges.map((bridge) => Effect.result(bridge.quote(asked)))
  const answers = yield* Effect.all(asking, { concurrency: "unbounded" })
  const offers: Array<Best> = []
  for (const [at, answer] of answers.entries()) {
    const bridge = bridges[at]
    if (answer._tag === "Failure" || bridge === undefined) continue
    const [offer] = answer.success
    const cost = yield* costOf(offer, subject)
    if (cost !== undefined) offers.push({ bridge, offer, maxCoin: approvedOf(cost) })
  }
  const [best] = offers.toSorted((one, other) =>
    one.offer.buyUnits === other.offer.buyUnits
      ? one.offer.estimatedSeconds - other.offer.estimatedSeconds
      : one.offer.buyUnits > other.offer.buyUnits
        ? -1
        : 1
  )
  if (best !== undefined) return best
  const failures = answers.flatMap((answer) => (answer._tag === "Failure" ? [answer.failure] : []))
  if (failures.length < answers.length) return yield* noCoinPrice(subject)
  return yield* refusedBy(failures, subject)
})

/** What a bridge may take of the chains' coins for something that left by it before. */
export const maxCoinOf = Effect.fnUntraced(function* (
  subject: Subject,
  bridge: Port.Bridge,
  units: bigint
) {
  const asked = { from: endOf(subject.sell), to: endOf(subject.buy), units }
  const answer = yield* Effect.result(bridge.quote(asked))
  if (answer._tag === "Failure") return yield* refusedBy([answer.failure], subject)
  const cost = yield* costOf(answer.success[0], subject)
  return cost === undefined ? yield* noCoinPrice(subject) : approvedOf(cost)
})

const priceOf = Effect.fnUntraced(function* (sell: Pinned) {
  const price = yield* (yield* AgreedPrices).known(sell)
  if (price !== undefined) return price
  return yield* new PriceUnavailable({
    param: "sellSymbol",
    message: `${sell.symbol} has no price that two sources agree on; try again in a minute.`,
    details: { symbol: sell.symbol }
  })
})

/** Whether what arrives is within three percent of what is sent, by prices that no bridge has a part in. */
export const isInRange = Effect.fnUntraced(function* (
  { buy, sell }: Pick<Subject, "buy" | "sell">,
  { buyAmount, sellAmount }: Pick<Quote, "buyAmount" | "sellAmount">
) {
  const prices = yield* AgreedPrices
  yield* prices.learn([sell, buy])
  return Worth.isInRange(
    { units: sellAmount, decimals: sell.decimals },
    yield* priceOf(sell),
    { units: buyAmount, decimals: buy.decimals },
    yield* prices.known(buy)
  )
})

/** What a quote of it says of tokens and slippage. */
export const namesOf = ({ buy, sell }: Subject) => ({
  sell: tokenView(sell),
  buy: tokenView(buy),
  slippagePercent: defaultSlippagePercent
})

/** What a quote has before it is stored. */
export type Taken = Omit<Quote, "id" | "accountId" | "proposalId" | "createdAt">

export const take = Effect.fnUntraced(function* (subject: Subject) {
  const { amountMicro, buy, from, sell, to } = subject
  const prices = yield* AgreedPrices
  const [coinHere, coinThere] = coinsOf(from.chainId, to.chainId)
  yield* prices.learn([sell, buy, coinHere, coinThere])
  const soldPrice = yield* priceOf(sell)
  const boughtPrice = yield* prices.known(buy)
  const sellAmount = Worth.unitsFor(amountMicro, sell.decimals, soldPrice)
  const { bridge, maxCoin, offer } = yield* bestOf(subject, sellAmount)
  const sold = { units: sellAmount, decimals: sell.decimals }
  const bought = (units: bigint) => ({ units, decimals: buy.decimals })
  const worthOf = (units: bigint): Usd =>
    Worth.worthUp({ units, decimals: sell.decimals }, soldPrice)
  const coinPrice = yield* prices.known(coinHere)
  const fees = offer.fees.map(({ kind, token, units }): Fee => {
    if (token !== null)
      return { kind, symbol: sell.symbol, amount: units, amountUsd: worthOf(units) }
    const { decimals, symbol } = Coin.of(from.chainId)
    const amountUsd = coinPrice === undefined ? null : Worth.worthUp({ units, decimals }, coinPrice)
    return { kind, symbol, amount: units, amountUsd }
  })
  // What is taken of the token is in what arrives already; what is lent of the coin is not.
  const lentMicro = maxCoin === undefined ? UsdAmount.zero : yield* worthOfCoin(maxCoin, subject)
  const worthMicro = Worth.soldWorth(sold, soldPrice, bought(offer.buyUnits), boughtPrice)
  const minBuyAmount = bridge.slips
    ? Worth.floorOf(offer.buyUnits, bpsOf(defaultSlippagePercent))
    : offer.minBuyUnits
  const minMicro = Worth.worthDown(bought(minBuyAmount), boughtPrice)
  const now = yield* DateTime.now
  const taken: Taken = {
    kind: "bridge",
    protocol: bridge.protocol,
    fromWalletId: from.id,
    toWalletId: to.id,
    ...namesOf(subject),
    sellAmount,
    buyAmount: offer.buyUnits,
    minBuyAmount,
    fees,
    priceImpactPct: null,
    amountMicro,
    worthMicro,
    valueAtRiskMicro: Worth.valueAtRisk(worthMicro, minMicro, lentMicro),
    estimatedSeconds: offer.estimatedSeconds,
    details: { ...offer.terms, ...write(maxCoin) },
    expiresAt: DateTime.add(now, { milliseconds: offer.expiresInMs })
  }
  return taken
})

/** The quote that was just taken, as it is stored. */
export const quoteOf = Effect.fnUntraced(function* (taken: Taken) {
  const { accountId } = yield* Caller
  const createdAt = yield* DateTime.now
  const id = yield* (yield* Ids).uuid
  const quote: Quote = { ...taken, id, accountId, proposalId: null, createdAt }
  return quote
})
