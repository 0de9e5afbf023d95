/**
 * What an approval is: the terms that are hashed, signed and voted on, how it is worded, and the acts of the wallet
 * that follow from it, to the last byte. It names its amount exactly; nothing is ever allowed without a bound.
 */
import { Schema } from "effect"
import * as Address from "../chains/address.ts"
import { termsOf as callTerms } from "../evm/call.ts"
import * as Erc20 from "../evm/erc20.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import type { Terms as Act } from "../submissions/submission.ts"
import type { Pinned } from "../tokens/token.ts"
import * as Spender from "./spender.ts"

export const fields = {
  fromWalletId: Schema.String,
  fromAddress: Address.Address,
  chainId: Schema.String,
  tokenAddress: Address.Address,
  symbol: Schema.String,
  decimals: Schema.Int,
  flow: Spender.Flow,
  spender: Address.Address,
  amountSmallestUnit: Usdc.SmallestUnits,
  /** What the amount was worth when it was proposed. */
  worthMicroUsd: Usd.Micro,
  /** By a signature that the relayer carries, or by a transaction of the wallet's own. */
  approvedBy: Schema.Literals(["permit", "transaction"]),
  /** Whether the allowance goes to zero first, because the token takes no other way. */
  byWayOfZero: Schema.Boolean
}
export const Terms = Schema.Struct(fields)
export type Terms = typeof Terms.Type

/** What it is about: a wallet, a listed token and the spender of a flow. */
interface Subject {
  readonly wallet: {
    readonly id: string
    readonly address: Address.Address
    readonly chainId: string
  }
  readonly spender: Spender.Spender
  readonly flow: Spender.Flow
  readonly tokenAddress: Address.Address
  readonly pinned: Pinned
}

/** How a token of the list is approved. The relayer carries permits of the chain's USDC. */
export const wayOf = ({ isUsdc, permit }: Pinned): Terms["approvedBy"] =>
  isUsdc && permit === "fiattoken" ? "permit" : "transaction"

/** The terms of an approval of so much, where the spender may take something already, or nothing. */
export const termsFor = (
  { flow, pinned, spender, tokenAddress, wallet }: Subject,
  units: bigint,
  worthMicroUsd: Usd.Usd,
  isAllowed: boolean
): Terms => ({
  fromWalletId: wallet.id,
  fromAddress: wallet.address,
  chainId: wallet.chainId,
  tokenAddress,
  symbol: pinned.symbol,
  decimals: pinned.decimals,
  flow,
  spender: spender.address,
  amountSmallestUnit: units,
  worthMicroUsd,
  approvedBy: wayOf(pinned),
  byWayOfZero: pinned.approvesByZero && isAllowed && units > 0n
})

/** The part of an approval that takes the allowance to zero; the approval itself is no part. */
export const toZero = "to-zero"

/** The acts of an approval, in their order. */
export const partsOf = ({ byWayOfZero }: Terms): ReadonlyArray<string | null> =>
  byWayOfZero ? [toZero, null] : [null]

/** What the wallet does for a part of it. */
export const actOf = (
  terms: Terms,
  part: string | null
): Pick<Act, "act" | "from" | "to" | "amount" | "call"> => {
  const { amountSmallestUnit, chainId } = terms
  const token = Address.keyOf(chainId, terms.tokenAddress)
  const owner = Address.keyOf(chainId, terms.fromAddress)
  const spender = Address.keyOf(chainId, terms.spender)
  const units = part === toZero ? 0n : amountSmallestUnit
  const act = {
    from: owner,
    to: spender,
    amount: { token: { chainId, address: token }, units }
  }
  return terms.approvedBy === "permit"
    ? { ...act, act: "permit", call: null }
    : { ...act, act: "call", call: callTerms(Erc20.approve({ token, owner, spender, units })) }
}

const amountIn = ({ amountSmallestUnit, decimals, symbol }: Terms): string =>
  `${Decimal.format({ units: amountSmallestUnit, places: decimals })} ${symbol}`

const worthIn = ({ approvedBy, tokenAddress, worthMicroUsd }: Terms): string =>
  approvedBy === "permit" ? "" : ` (${tokenAddress}, worth ${Usd.format(worthMicroUsd)} USD)`

export const summary = (terms: Terms): string => {
  const { amountSmallestUnit, chainId, fromAddress, spender, symbol, tokenAddress } = terms
  const who = `${Spender.at(chainId, spender)?.label ?? "a spender"} (${spender})`
  const from = `from ${fromAddress} on ${chainId}`
  const token = terms.approvedBy === "permit" ? symbol : `${symbol} (${tokenAddress})`
  return amountSmallestUnit === 0n
    ? `Revoke the ${token} allowance of ${who} ${from}`
    : `Allow ${who} to take up to ${amountIn(terms)}${worthIn(terms)} ${from}`
}
