/**
 * A swap as a wallet's call on Solana: all of one amount is sold, for at least a floor of one token. The call names
 * what follows from a proposal's terms and nothing that a venue says; by which way it is sold is found when it is signed.
 */
import { Option, Schema } from "effect"
import { AddressKey } from "../chains/address.ts"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { Submission, Terms } from "../submissions/submission.ts"
import type { KnownPayment } from "../submissions/submitter.ts"

/** What the terms of the submission do not say otherwise: who sells, what, how much, and for whom. */
export const SwapCall = Schema.Struct({
  swap: Schema.Struct({
    buy: AddressKey,
    /** The floor that was approved. */
    minBuyAmount: Schema.BigIntFromString,
    slippageBps: Schema.Int,
    /** Unix seconds; nothing is signed for it later. */
    notAfter: Schema.Int
  })
})
export type SwapCall = typeof SwapCall.Type

const SwapCallJson = Schema.toCodecJson(SwapCall)
const encode = Schema.encodeSync(SwapCallJson)
const decode = Schema.decodeUnknownOption(SwapCallJson)

/** As it stands in the terms of a submission. */
export const callOf = (swap: SwapCall["swap"]): NonNullable<Terms["call"]> =>
  encode({ swap }) as NonNullable<Terms["call"]>

/** A swap as it is looked for, tried and signed. */
export interface Swap extends KnownPayment {
  /** Who gets what is bought. */
  readonly to: AddressKey
  readonly amount: TokenAmount
  readonly buy: AddressKey
  /** The receiver gets at least so much, or nothing is sold: the floor, or more by a fresh quote. */
  readonly minBuyAmount: bigint
}

/** A swap with all that its call says of it. */
export interface Asking extends Swap {
  readonly slippageBps: number
  readonly notAfter: number
}

/** What is swapped by an act on a chain; undefined when it does something else. */
export const swapOf = (
  chainId: string,
  {
    act,
    amount,
    call,
    from,
    identity,
    to
  }: Pick<Terms, "act" | "amount" | "call" | "from" | "identity" | "to">
): Asking | undefined => {
  const told = act === "call" ? Option.getOrUndefined(decode(call)) : undefined
  return told === undefined ? undefined : { chainId, from, to, amount, identity, ...told.swap }
}

/** What a submission swaps. */
export const swapIn = ({ chainId, terms }: Pick<Submission, "chainId" | "terms">) =>
  swapOf(chainId, terms)

/**
 * The way a venue names for a swap: the accounts of the pinned program's instruction in order, its data, and lookup
 * tables that shorten it. Nothing of it is believed before the message that is made of it was checked.
 */
export const Route = Schema.Struct({
  program: Schema.String,
  accounts: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      isSigner: Schema.Boolean,
      isWritable: Schema.Boolean
    })
  ),
  /** Base64. */
  data: Schema.String,
  tables: Schema.Array(Schema.String)
})
export type Route = typeof Route.Type

export const RouteJson = Schema.toCodecJson(Route)

const allBps = 10_000n

/** A quote less slippage, rounded up, and never below the floor. */
export const minimumOf = (
  quoted: bigint,
  { minBuyAmount, slippageBps }: Pick<SwapCall["swap"], "minBuyAmount" | "slippageBps">
): bigint => {
  const less = (quoted * (allBps - BigInt(slippageBps)) + allBps - 1n) / allBps
  return less > minBuyAmount ? less : minBuyAmount
}
