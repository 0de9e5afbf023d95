/**
 * The terms of a swap: what is approved is a floor, and the most that it may cost. They are hashed, signed and voted
 * on; what is signed for the venue later gives the receiver at least the floor.
 */
import { DateTime, Effect, Schema } from "effect"
import { Address } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import { actWithinDays, confirmWithinHours } from "../proposals/proposal.ts"
import { Protocol, type Quote, TokenView } from "../quotes/quote.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Subject } from "./subject.ts"

export const terms = {
  fromWalletId: Schema.String,
  fromAddress: Address,
  chainId: Schema.String,
  sell: TokenView,
  sellAmount: Usdc.SmallestUnits,
  buy: TokenView,
  minBuyAmount: Usdc.SmallestUnits,
  toWalletId: Schema.String,
  receiver: Address,
  protocol: Protocol,
  slippagePercent: Schema.Number,
  /** The whole worth of what is sold, when it was proposed. */
  worthUsd: Usd.Decimal,
  valueAtRiskUsd: Usd.Decimal,
  feesUsd: Usd.Decimal,
  /** What it may put at risk at most when it is signed. */
  maxCostUsd: Usd.Decimal,
  notAfter: Timestamp.Encoded
}
export const Terms = Schema.Struct(terms)
export type Terms = typeof Terms.Type

/** How far prices may move against it after it was proposed, in basis points of its worth. */
const rangeBps = 300n

/** What it may cost at most: what it puts at risk now, and three percent of its worth. */
const maxCostOf = ({
  valueAtRiskMicro,
  worthMicro
}: Pick<Quote, "valueAtRiskMicro" | "worthMicro">) =>
  Usd.add(valueAtRiskMicro, Usd.make((worthMicro * rangeBps + 9_999n) / 10_000n))

/** The terms that follow from a quote. */
export const termsFrom = Effect.fnUntraced(function* ({ from, to }: Subject, quote: Quote) {
  const now = yield* DateTime.now
  const made: Terms = {
    fromWalletId: from.id,
    fromAddress: from.address,
    chainId: from.chainId,
    sell: quote.sell,
    sellAmount: quote.sellAmount,
    buy: quote.buy,
    minBuyAmount: quote.minBuyAmount,
    toWalletId: to.id,
    receiver: to.address,
    protocol: quote.protocol,
    slippagePercent: quote.slippagePercent,
    worthUsd: quote.worthMicro,
    valueAtRiskUsd: quote.valueAtRiskMicro,
    feesUsd: Usd.sum(quote.fees.map(({ amountUsd }) => amountUsd ?? Usd.zero)),
    maxCostUsd: maxCostOf(quote),
    notAfter: DateTime.add(now, { hours: confirmWithinHours, days: actWithinDays })
  }
  return made
})

/** An amount in whole tokens, for a line that people read. */
const amountText = (units: bigint, { decimals, symbol }: TokenView): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  const whole = digits.slice(0, digits.length - decimals)
  return `${whole}${fraction === "" ? "" : `.${fraction}`} ${symbol}`
}

export const summaryOf = (swap: Terms): string =>
  `Sell ${amountText(swap.sellAmount, swap.sell)} from ${swap.fromAddress} on ${swap.chainId} for at least ${amountText(swap.minBuyAmount, swap.buy)} to ${swap.receiver}, at a risk of up to ${Usd.format(swap.maxCostUsd)} USD`
