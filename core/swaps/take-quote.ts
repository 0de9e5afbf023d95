/**
 * Takes a quote from the venue of a chain and prices it by sources that the venue has no part in. It asks the
 * network, and stores nothing.
 */
import { Effect } from "effect"
import { type Address, keyOf, shown } from "../chains/address.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import { InvalidAmount, UpstreamUnavailable } from "../operation/refusal.ts"
import { Holdings } from "../ports/holdings.ts"
import * as Venue from "../ports/swap-venue.ts"
import type { Fee, Quote, TokenView } from "../quotes/quote.ts"
import { RouteNotAvailable, VenueUnavailable } from "../quotes/refusals.ts"
import { noPair, silentVenue } from "../routing/route.ts"
import * as Worth from "../sales/worth.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { PriceUnavailable, TokenNotVerified } from "../tokens/refusals.ts"
import { notVerified } from "../tokens/resolve.ts"
import type { Pinned } from "../tokens/token.ts"
import type { Subject } from "./subject.ts"

export const refusals = [
  RouteNotAvailable,
  VenueUnavailable,
  PriceUnavailable,
  InvalidAmount,
  TokenNotVerified,
  UpstreamUnavailable
] as const

export const tokenView = ({ address, chainId, decimals, symbol }: Pinned): TokenView => ({
  chainId,
  tokenAddress: shown(chainId, address),
  symbol,
  decimals
})

/** What an address holds of both; undefined of a token whose contract says otherwise than the list. */
export const heldBy = Effect.fnUntraced(function* (
  chainId: string,
  address: Address,
  { buy, sell }: Pick<Subject, "buy" | "sell">
) {
  const { balances } = yield* Holdings
  const [row = []] = yield* balances(chainId, [address], [sell, buy])
  return row
})

/** What the wallet holds of the sold token; refuses a token whose contract says otherwise than the list. */
export const heldOf = Effect.fnUntraced(function* ({ buy, from, sell }: Subject) {
  const { chainId } = from
  const [sold, bought] = yield* heldBy(chainId, from.address, { buy, sell }).pipe(
    Effect.mapError(
      () =>
        new UpstreamUnavailable({
          message: `The chain ${chainId} does not respond; try again in a moment.`,
          details: { chainId }
        })
    )
  )
  if (sold !== undefined && bought !== undefined) return sold
  const [token, param] = sold === undefined ? [sell, "sellSymbol"] : [buy, "buySymbol"]
  return yield* notVerified(
    { chainId, symbol: token.symbol },
    param,
    `The contract of ${token.symbol} is not there, or says otherwise than the list`
  )
})

const guideArgs = (chainId: string) => ({ fromChainId: chainId, toChainId: chainId })

/** The venue of a chain, or the refusal that there is none. */
export const venueFor = Effect.fnUntraced(function* (chainId: string) {
  const venues = yield* Venue.SwapVenues
  const venue = Venue.venueOn(venues, chainId)
  if (venue !== undefined) return venue
  const supported = venues.venues.flatMap(({ chainIds }) => chainIds)
  return yield* new RouteNotAvailable({
    param: "fromWalletId",
    message: `There is no venue of swaps on ${chainId}; use a wallet on another chain.`,
    details: { supported },
    next: { operation: "get_routing_guide", args: guideArgs(chainId) }
  })
})

const refusedBy = (failure: Venue.QuoteFailure, { sell }: Subject) => {
  switch (failure._tag) {
    case "RouteNotAvailable":
      return new RouteNotAvailable({
        param: "buySymbol",
        message: `${noPair} for this amount; choose others.`,
        details: { reason: failure.detail },
        next: { operation: "get_routing_guide", args: guideArgs(sell.chainId) }
      })
    case "AmountBelowMinimum":
      return new InvalidAmount({
        param: "amountUsd",
        message: "The amount is below the venue's minimum; send more.",
        details: {
          symbol: sell.symbol,
          minimumSmallestUnit: failure.minimum === null ? null : String(failure.minimum)
        },
        next: { operation: "get_routing_guide", args: guideArgs(sell.chainId) }
      })
    case "TransfersClosed":
      return failure.isPassing
        ? new UpstreamUnavailable({
            message: `${failure.detail} Nothing of it can be swapped now; try again later.`,
            details: { chainId: sell.chainId }
          })
        : new RouteNotAvailable({
            param: "fromWalletId",
            message: `${failure.detail} Use another wallet.`,
            details: { reason: failure.detail },
            next: { operation: "list_wallets", args: {} }
          })
    case "VenueUnavailable":
      return new VenueUnavailable({
        message: `${silentVenue(failure.protocol)}; try again in a moment.`,
        details: { protocol: failure.protocol, reason: failure.reason }
      })
  }
}

/** The price of what is sold; without one nothing is traded. */
export const priceOfSold = Effect.fnUntraced(function* (
  sell: Pick<Pinned, "address" | "chainId" | "symbol">
) {
  const price = yield* (yield* AgreedPrices).known(sell)
  if (price !== undefined) return price
  return yield* new PriceUnavailable({
    param: "sellSymbol",
    message: `${sell.symbol} has no price that two sources agree on; try again in a minute.`,
    details: { symbol: sell.symbol }
  })
})

const feeOf = Effect.fnUntraced(function* (
  { amount, kind }: Venue.Fee,
  tokens: ReadonlyArray<Pinned>
) {
  const token = tokens.find(({ address }) => address === amount.token.address)
  const price = yield* (yield* AgreedPrices).known(amount.token)
  const fee: Fee = {
    kind,
    symbol: token?.symbol ?? String(amount.token.address ?? "coin"),
    amount: amount.units,
    amountUsd:
      token === undefined || price === undefined
        ? null
        : Worth.worthUp({ units: amount.units, decimals: token.decimals }, price)
  }
  return fee
})

/** What a quote has before it is stored. */
export type Taken = Omit<Quote, "id" | "accountId" | "proposalId" | "createdAt"> & {
  /** Whether it is within three percent of the independent price, as of when it was taken. */
  readonly isInRange: boolean
  readonly feesMicro: Usd.Usd
}

/** Whether what is given for what is sold is within three percent of the independent prices of now. */
export const isInRange = Effect.fnUntraced(function* (
  { buy, sell }: Pick<Subject, "sell" | "buy">,
  { buyAmount, sellAmount }: Pick<Quote, "buyAmount" | "sellAmount">
) {
  return Worth.isInRange(
    { units: sellAmount, decimals: sell.decimals },
    yield* priceOfSold(sell),
    { units: buyAmount, decimals: buy.decimals },
    yield* (yield* AgreedPrices).known(buy)
  )
})

/** Judges what a venue gives by our prices. */
export const judged = Effect.fnUntraced(function* (
  subject: Pick<Subject, "sell" | "buy">,
  given: Venue.VenueQuote,
  minBuyAmount: bigint
) {
  const { buy, sell } = subject
  const soldPrice = yield* priceOfSold(sell)
  const boughtPrice = yield* (yield* AgreedPrices).known(buy)
  const sold = { units: given.sellAmount, decimals: sell.decimals }
  const quoted = { units: given.buyAmount, decimals: buy.decimals }
  const least = { units: minBuyAmount, decimals: buy.decimals }
  const fees = yield* Effect.forEach(given.fees, (fee) => feeOf(fee, [sell, buy]))
  const feesMicro = Usd.sum(fees.map(({ amountUsd }) => amountUsd ?? Usd.zero))
  const worthMicro = Worth.soldWorth(sold, soldPrice, quoted, boughtPrice)
  return {
    fees,
    feesMicro,
    worthMicro,
    valueAtRiskMicro: Worth.valueAtRisk(worthMicro, Worth.worthDown(least, boughtPrice), feesMicro),
    isInRange: yield* isInRange(subject, given)
  }
})

/** Asks what both tokens cost. */
export const learn = ({ buy, sell }: Pick<Subject, "buy" | "sell">) =>
  Effect.flatMap(AgreedPrices, ({ learn: ask }) => ask([sell, buy]))

/** Asks prices and the venue. */
export const take = Effect.fnUntraced(function* (subject: Subject) {
  const { amountMicro, buy, from, sell, slippageBps, slippagePercent, to } = subject
  yield* learn(subject)
  const sellAmount = Worth.unitsFor(amountMicro, sell.decimals, yield* priceOfSold(sell))
  const venue = yield* venueFor(from.chainId)
  if (sellAmount === 0n)
    return yield* refusedBy(new Venue.AmountBelowMinimum({ minimum: null }), subject)
  const { chainId } = from
  const given = yield* venue
    .quote({
      chainId,
      owner: keyOf(chainId, from.address),
      receiver: keyOf(chainId, to.address),
      sell: sell.address,
      sellAmount,
      buy: buy.address,
      slippageBps
    })
    .pipe(Effect.mapError((failure) => refusedBy(failure, subject)))
  const minBuyAmount = Worth.floorOf(given.buyAmount, slippageBps)
  const taken: Taken = {
    kind: "swap",
    protocol: venue.protocol,
    fromWalletId: from.id,
    toWalletId: to.id,
    sell: tokenView(sell),
    buy: tokenView(buy),
    sellAmount: given.sellAmount,
    buyAmount: given.buyAmount,
    minBuyAmount,
    slippagePercent,
    priceImpactPct: given.priceImpactPct === null ? null : Decimal.format(given.priceImpactPct),
    amountMicro,
    estimatedSeconds: given.estimatedSeconds,
    details: {},
    expiresAt: given.expiresAt,
    ...(yield* judged(subject, given, minBuyAmount))
  }
  return taken
})
