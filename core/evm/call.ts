/**
 * A wallet's own transaction on an EVM chain: what it calls, how it is known again, and how much of the chain's coin
 * the wallet is lent for it. Its data ends in the identity of what it is for, which contracts do not read, so that
 * it is found on the chain when all records are lost.
 */
import { Schema } from "effect"
import { AddressKey, type TransactionId } from "../chains/address.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Fees } from "./journal.ts"

const Hex = Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-f]{2})*$/u))

/** What a call is to have done, as the chain tells it in the block that has the call. */
const Expected = Schema.Struct({
  to: AddressKey,
  data: Hex,
  /** What the contract answers then, to the last byte. */
  answer: Hex
})
export type Expected = typeof Expected.Type

/** The form of `terms.call` on EVM chains. */
export const EvmCall = Schema.Struct({
  to: AddressKey,
  data: Hex,
  /** In wei. */
  value: Schema.BigIntFromString,
  /** A call that ran and did not do this has failed. */
  expect: Schema.optionalKey(Expected)
})
export type EvmCall = typeof EvmCall.Type

const Json = Schema.toCodecJson(EvmCall)

/** As it stands in the terms of a submission. */
export const termsOf = (call: EvmCall): Schema.JsonObject =>
  Schema.encodeSync(Json)(call) as Schema.JsonObject

export const callIn = ({ call }: Pick<Submission["terms"], "call">): EvmCall =>
  Schema.decodeUnknownSync(Json)(call)

/** What the wallet sends: the data of the call, and after it the identity. */
export const dataOf = ({ data }: EvmCall, identity: string): string => `${data}${identity}`

/** Whose nonce it is, and which. */
export interface NonceOf {
  readonly chainId: string
  readonly sender: AddressKey
  readonly nonce: number
}

/** A transaction in which a wallet's nonce was used up, and the block that has it. */
export interface UsedNonce {
  readonly txId: TransactionId
  readonly blockNumber: number
  readonly blockHash: string
  readonly to: AddressKey | null
  readonly data: string
  readonly value: bigint
  readonly isSuccess: boolean
  readonly isFinal: boolean
}

/** By which transaction a nonce was used, as it was told of a final block. */
export interface ToldNonce extends NonceOf, Omit<UsedNonce, "isFinal"> {}

/** Whether a transaction was made for the same thing; what it called may still differ. */
export const isOf = ({ data }: Pick<UsedNonce, "data">, identity: string): boolean =>
  data.endsWith(identity)

export const isSameCall = (used: UsedNonce, call: EvmCall, identity: string): boolean =>
  used.to === call.to && used.value === call.value && used.data === dataOf(call, identity)

/** What a transaction takes of its sender at most. */
export const costOf = (
  { gas, maxFeePerGas }: Pick<Fees, "gas" | "maxFeePerGas">,
  { dataFeeWei, value }: { readonly dataFeeWei: bigint; readonly value: bigint }
): bigint => gas * maxFeePerGas + dataFeeWei + value

/**
 * How much a wallet is lent: half more than the gas may cost now, so that a transaction nobody takes can be replaced
 * by one that pays more, less what it holds. Nothing, when it holds enough for now.
 */
export const loanFor = (
  fees: Pick<Fees, "gas" | "maxFeePerGas">,
  other: { readonly dataFeeWei: bigint; readonly value: bigint },
  heldWei: bigint
): bigint => {
  const cost = costOf(fees, other)
  return heldWei >= cost ? 0n : cost + (fees.gas * fees.maxFeePerGas) / 2n - heldWei
}
