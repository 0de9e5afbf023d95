/**
 * What a bridge may take of the two chains' own coins, as it is approved: exactly what leaving costs, and twice what
 * taking it back costs as things stand, since that happens later. What cannot be taken back for that is not begun.
 */
import { Effect, Schema } from "effect"
import * as Coin from "../chains/coin.ts"
import * as Usd from "../money/usd.ts"
import type { MaxCoin, Offer } from "../ports/bridge.ts"
import * as Port from "../ports/bridge.ts"
import * as Worth from "../sales/worth.ts"
import { ready } from "../submissions/submitter.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"

const coinOf = (chainId: string) => ({ chainId, address: null })

/** The coins of the chains at both ends, whose prices are to be at hand. */
export const coinsOf = (fromChainId: string, toChainId: string) =>
  [coinOf(fromChainId), coinOf(toChainId)] as const

/** So much of one chain's coin in that of another; undefined while they have no price. */
const converted = Effect.fnUntraced(function* (units: bigint, from: string, to: string) {
  const [given, taken] = [Coin.of(from), Coin.of(to)]
  if (given.symbol === taken.symbol && given.decimals === taken.decimals) return units
  const prices = yield* AgreedPrices
  const [givenPrice, takenPrice] = [
    yield* prices.known(coinOf(from)),
    yield* prices.known(coinOf(to))
  ]
  if (givenPrice === undefined || takenPrice === undefined) return undefined
  const worth = Worth.worthUp({ units, decimals: given.decimals }, givenPrice)
  return Worth.unitsFor(worth, taken.decimals, takenPrice)
})

interface Ends {
  readonly from: { readonly chainId: string }
  readonly to: { readonly chainId: string }
}

const none: MaxCoin = { leaving: 0n, cancelling: 0n, claiming: 0n }

const leavingOf = ({ fees }: Offer): bigint =>
  fees.reduce((sum, { token, units }) => (token === null ? sum + units : sum), 0n)

/** What an offer costs in coin as things stand; undefined while the coins have no price. */
export const costOf = Effect.fnUntraced(function* (offer: Offer, { from, to }: Ends) {
  const leaving = leavingOf(offer)
  const { wayBack } = offer
  if (wayBack === null) return { ...none, leaving } satisfies MaxCoin as MaxCoin
  const claiming = yield* converted(wayBack.claimUnits, from.chainId, to.chainId)
  return claiming === undefined
    ? undefined
    : ({ leaving, cancelling: wayBack.cancelUnits, claiming } satisfies MaxCoin)
})

/** Fees are set by hand, and gas has dear hours. */
const headroom = 2n

/** What is approved of what it costs; undefined where it takes no coin at all. */
export const approvedOf = (cost: MaxCoin): MaxCoin | undefined =>
  cost.leaving + cost.cancelling + cost.claiming === 0n
    ? undefined
    : {
        leaving: cost.leaving,
        cancelling: cost.cancelling * headroom,
        claiming: cost.claiming * headroom
      }

/** Whether what it costs now is within what was approved. */
export const isWithin = (cost: MaxCoin, approved: MaxCoin = none): boolean =>
  cost.leaving <= approved.leaving &&
  cost.cancelling <= approved.cancelling &&
  cost.claiming <= approved.claiming

const units = (amount: bigint, chainId: string) => ({
  units: amount,
  decimals: Coin.of(chainId).decimals
})

/** In USD; a coin without a price counts for nothing. */
export const worthOf = Effect.fnUntraced(function* (
  { cancelling, claiming, leaving }: MaxCoin,
  { from, to }: Ends
) {
  const prices = yield* AgreedPrices
  const parts = [
    [leaving, from.chainId],
    [cancelling + claiming, to.chainId]
  ] as const
  const worths = yield* Effect.forEach(parts, ([amount, chainId]) =>
    Effect.map(prices.known(coinOf(chainId)), (price) =>
      price === undefined ? Usd.zero : Worth.worthUp(units(amount, chainId), price)
    )
  )
  return Usd.sum(worths)
})

const Kept = Schema.Struct({ maxCoin: Schema.optionalKey(Port.MaxCoin) })
const Json = Schema.toCodecJson(Kept)
const keptOf = Schema.decodeUnknownSync(Json)
const encode = Schema.encodeSync(Json)

/** As a quote keeps it, among what else it keeps. */
export const write = (maxCoin: MaxCoin | undefined) =>
  encode(maxCoin === undefined ? {} : { maxCoin }) as Schema.JsonObject

/** What terms take over from a quote. */
export const readFrom = (details: Schema.JsonObject): typeof Kept.Type => {
  const { maxCoin } = details
  return keptOf(maxCoin === undefined ? {} : { maxCoin })
}

/** Refuses while the treasury cannot pay for it at both ends, within its limits of network fees. */
export const readyFor = Effect.fnUntraced(function* (
  accountId: string,
  fromChainId: string,
  toChainId: string,
  { cancelling, claiming, leaving }: MaxCoin = none
) {
  yield* ready(fromChainId, accountId, leaving)
  yield* ready(toChainId, accountId, cancelling + claiming)
})
