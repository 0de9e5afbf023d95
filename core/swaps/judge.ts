/**
 * What a swap is judged by wherever it is proposed, confirmed or started: the prices of that moment, its floor and
 * what was approved as its cost. The same for every venue.
 */
import { Effect } from "effect"
import { requireRunning } from "../accounts/pause.ts"
import { keyOf } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import type * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import type { TokenView } from "../quotes/quote.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import * as Rules from "../sales/rules.ts"
import * as Worth from "../sales/worth.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { priceOfSold } from "./take-quote.ts"
import type { Terms } from "./terms.ts"

const idOf = ({ chainId, tokenAddress }: TokenView) => ({
  chainId,
  address: keyOf(chainId, tokenAddress)
})

/** Why nothing is signed by a quote that is too far off, whatever floor was approved. */
export const outOfRange =
  "PRICE_OUT_OF_RANGE: the venue's quote is more than three percent off the price."

/** Asks for the prices of its tokens, before the transaction that judges it. */
export const foresee = ({ buy, sell }: Terms) =>
  Effect.flatMap(AgreedPrices, ({ learn }) => learn([idOf(sell), idOf(buy)]))

/** What it is worth and puts at risk by the prices of now, were it signed for this least of what is offered. */
export const atLeast = Effect.fnUntraced(function* (
  swap: Terms,
  minBuyAmount: bigint,
  buyAmount = minBuyAmount
) {
  const { buy, sell } = swap
  const soldPrice = yield* priceOfSold({ ...idOf(sell), symbol: sell.symbol })
  const boughtPrice = yield* (yield* AgreedPrices).known(idOf(buy))
  const sold = { units: swap.sellAmount, decimals: sell.decimals }
  const least = { units: minBuyAmount, decimals: buy.decimals }
  const offered = { units: buyAmount, decimals: buy.decimals }
  const worthMicro = Worth.soldWorth(sold, soldPrice, offered, boughtPrice)
  const minMicro = Worth.worthDown(least, boughtPrice)
  return {
    worthMicro,
    valueAtRiskMicro: Worth.valueAtRisk(worthMicro, minMicro, swap.feesUsd),
    isInRange: Worth.isInRange(sold, soldPrice, offered, boughtPrice)
  }
})

const larger = (one: Usd.Usd, other: Usd.Usd) => (one > other ? one : other)

/** By the prices of now, or as it was proposed where that was more. */
const now = Effect.fnUntraced(function* (swap: Terms) {
  const { valueAtRiskMicro, worthMicro } = yield* atLeast(swap, swap.minBuyAmount)
  const judged: Rules.Judged = {
    worthMicro: larger(worthMicro, swap.worthUsd),
    valueAtRiskMicro: larger(valueAtRiskMicro, swap.valueAtRiskUsd)
  }
  if (judged.valueAtRiskMicro <= swap.maxCostUsd) return judged
  return yield* new Rules.PriceOutOfRange({
    param: "proposalId",
    message: `By the prices of now it puts ${Usd.format(judged.valueAtRiskMicro)} USD at risk, and ${Usd.format(swap.maxCostUsd)} was approved; propose it again.`,
    details: {
      valueAtRiskUsd: Usd.format(judged.valueAtRiskMicro),
      maxCostUsd: Usd.format(swap.maxCostUsd)
    }
  })
})

const sellingOf = ({ fromWalletId, sell, sellAmount }: Terms): Rules.Selling => ({
  walletId: fromWalletId,
  amount: { token: idOf(sell), units: sellAmount }
})

export const check = Effect.fnUntraced(function* (accountId: string, swap: Terms) {
  yield* requireRunning(accountId)
  yield* Rules.check(accountId, yield* now(swap))
  yield* Rules.checkFree(sellingOf(swap))
})

/** Judges it again and reserves, in the transaction that starts it. */
export const start = Effect.fnUntraced(function* (proposal: Proposal, swap: Terms) {
  yield* requireRunning(proposal.accountId)
  yield* Rules.start(proposal, sellingOf(swap), yield* now(swap))
  return { status: "executing" as const }
})

/** Bands take the whole worth: as it was proposed, or by the prices of now where that is more. */
export const worthNow = Effect.fnUntraced(function* (swap: Terms) {
  const known = yield* Effect.option(atLeast(swap, swap.minBuyAmount))
  const worthMicro = known._tag === "Some" ? known.value.worthMicro : Usd.zero
  return larger(worthMicro, swap.worthUsd)
})

/** A key that may pay some recipients alone may trade only into a wallet that is one of them. */
export const spends = Effect.fnUntraced(function* (accountId: string, swap: Terms) {
  const { standing } = yield* Recipients
  const recipient = yield* standing(accountId, swap.chainId, swap.receiver)
  const spent: Kind.Spent = {
    walletId: swap.fromWalletId,
    recipientId: recipient?.id ?? null,
    amountMicro: Rules.countedOf(swap.valueAtRiskUsd),
    isCapped: true
  }
  return spent
})
