/**
 * A quote: what a venue or a bridge would give, kept for as long as it stands. It sets the floor of a proposal and
 * is used for one; what is signed later goes by the floor and a quote of that moment.
 */
import { type DateTime, Schema } from "effect"
import { Address } from "../chains/address.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import * as Timestamp from "../time/timestamp.ts"

export const Kind = Schema.Literals(["swap", "bridge"])
export type Kind = typeof Kind.Type

export const Protocol = Schema.Literals(["cow", "jupiter", "cctp", "dln"])
export type Protocol = typeof Protocol.Type

/** A token as answers name it. */
export const TokenView = Schema.Struct({
  chainId: Schema.String,
  tokenAddress: Address,
  symbol: Schema.String,
  decimals: Schema.Int
})
export type TokenView = typeof TokenView.Type

export const Fee = Schema.Struct({
  kind: Schema.Literals(["network", "protocol", "relayer", "bridge"]),
  symbol: Schema.String,
  amount: Usdc.SmallestUnits,
  amountUsd: Schema.NullOr(Usd.Decimal)
})
export type Fee = typeof Fee.Type

/** Percent with at most two decimals, from 0 to 50. */
export const SlippagePercent = Schema.Finite.check(
  Schema.makeFilter(
    (percent: number) =>
      /^-?\d+(\.\d{1,2})?$/u.test(String(percent))
        ? undefined
        : "Expected a number with at most two decimals",
    { expected: "a number from 0 to 50 with at most two decimals" }
  ),
  // Last, because what is said of a number in JSON Schema hangs on its last check.
  Schema.isBetween({ minimum: 0, maximum: 50 })
)
export const defaultSlippagePercent = 0.5

/** A hundredth of a percent is one. Taken by the shortest text, so that no float calculates. */
export const bpsOf = (percent: number): number => {
  const { places, units } = Decimal.parse(String(percent)) ?? Decimal.zero
  return Number(units * 10n ** BigInt(Math.max(0, 2 - places)))
}

export interface Quote {
  readonly id: string
  readonly accountId: string
  readonly kind: Kind
  readonly protocol: Protocol
  readonly fromWalletId: string
  readonly toWalletId: string
  readonly sell: TokenView
  readonly buy: TokenView
  readonly sellAmount: bigint
  readonly buyAmount: bigint
  readonly minBuyAmount: bigint
  readonly slippagePercent: number
  readonly fees: ReadonlyArray<Fee>
  readonly priceImpactPct: string | null
  /** What was asked for. */
  readonly amountMicro: Usd.Usd
  /** The whole worth of what is sold. */
  readonly worthMicro: Usd.Usd
  readonly valueAtRiskMicro: Usd.Usd
  readonly estimatedSeconds: number
  /** What its protocol is to be told again, in its own form. */
  readonly details: Schema.JsonObject
  /** The proposal it was used for; null while it was not. */
  readonly proposalId: string | null
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export const fields = {
  quoteId: Schema.String,
  kind: Kind,
  protocol: Protocol,
  fromWalletId: Schema.String,
  toWalletId: Schema.String,
  sell: TokenView,
  buy: TokenView,
  sellAmount: Usdc.SmallestUnits,
  buyAmount: Usdc.SmallestUnits,
  minBuyAmount: Usdc.SmallestUnits.annotate({
    description: "The least the receiver gets, or nothing is sold: `buyAmount` less slippage."
  }),
  slippagePercent: Schema.Number,
  fees: Schema.Array(Fee),
  priceImpactPct: Schema.NullOr(Schema.String),
  valueAtRiskUsd: Usd.Decimal.annotate({
    description:
      "What the trade can cost at most, by prices that the venue has no part in; counts against the send caps."
  }),
  estimatedSeconds: Schema.Int,
  createdAt: Timestamp.Encoded,
  expiresAt: Timestamp.Encoded
}

export const view = (quote: Quote): Schema.Struct<typeof fields>["Type"] => ({
  ...quote,
  quoteId: quote.id,
  valueAtRiskUsd: quote.valueAtRiskMicro
})
