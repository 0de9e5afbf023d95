/**
 * The terms of a bridge: what leaves which wallet, and the least that arrives in which other wallet of the same
 * account. They are what is hashed, signed and voted on; how it is carried out is never worse than they say.
 */
import { DateTime, Schema } from "effect"
import { Address, keyOf } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { type Journey, MaxCoin, Protocol } from "../ports/bridge.ts"
import * as Timestamp from "../time/timestamp.ts"

const side = Schema.Struct({
  chainId: Schema.String,
  tokenAddress: Address,
  symbol: Schema.String,
  decimals: Schema.Int
})

export const terms = {
  fromWalletId: Schema.String,
  fromAddress: Address,
  toWalletId: Schema.String,
  /** Who receives: a wallet of the same account, always. */
  receiver: Address,
  sell: side,
  sellAmount: Usdc.SmallestUnits,
  buy: side,
  /** The floor: what is signed never lets less arrive. */
  minBuyAmount: Usdc.SmallestUnits,
  protocol: Protocol,
  slippagePercent: Schema.String,
  /** What all of it is worth, and what it may cost at most, in USD by prices that the bridge has no part in. */
  worthUsd: Schema.String,
  maxCostUsd: Schema.String,
  /** The most of the chains' own coins that is lent for it, beside gas; left out where none is. */
  maxCoin: Schema.optionalKey(MaxCoin),
  /** Nothing leaves after it. */
  notAfter: Timestamp.Encoded
}
export type Terms = Schema.Struct<typeof terms>["Type"]

/** Whether it may not begin to leave any more, whatever was approved. */
export const isTooLate = ({ notAfter }: Terms, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(now, notAfter)

/** How it is carried out, as was found out when it began: at least the floor arrives. */
export interface Carriage {
  readonly minBuyAmount: bigint
  readonly offer: Schema.JsonObject
}

export const endsOf = ({ buy, fromAddress, receiver, sell, sellAmount }: Terms) => ({
  from: { chainId: sell.chainId, token: keyOf(sell.chainId, sell.tokenAddress) },
  to: { chainId: buy.chainId, token: keyOf(buy.chainId, buy.tokenAddress) },
  sender: keyOf(sell.chainId, fromAddress),
  receiver: keyOf(buy.chainId, receiver),
  units: sellAmount
})

/** What the bridge is told: everything of it follows from the terms, but how the floor is kept. */
export const journeyOf = (
  approved: Terms,
  identity: string,
  { minBuyAmount, offer }: Carriage
): Journey => ({
  ...endsOf(approved),
  identity,
  minBuyUnits: minBuyAmount,
  ...(approved.maxCoin === undefined ? {} : { coin: approved.maxCoin }),
  terms: offer
})
