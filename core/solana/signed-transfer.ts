/**
 * A payer's own transaction that moves USDC and names our relayer as who pays its fee (x402). It is known by the hash
 * of its message: one message has one signature of the relayer, so the chain takes it once.
 */
import { Schema } from "effect"
import { AddressKey } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"

export const SignedTransfer = Schema.Struct({
  act: Schema.Literal("transfer"),
  chainId: Schema.String,
  token: AddressKey,
  from: AddressKey,
  to: AddressKey,
  amountMicro: Usdc.Units,
  /** SHA-256 of the message, hex. */
  nonce: Schema.String,
  /** The payer's, base58. */
  signature: Schema.String,
  /** The transaction as its payer handed it in, base64; the relayer's signature is missing. */
  wire: Schema.String,
  feePayer: AddressKey,
  /** The block it names. */
  blockhash: Schema.String,
  /** The most compute units it may use, and its bid for each in micro-lamports. */
  units: Schema.Int,
  priority: Schema.BigIntFromString,
  memo: Schema.NullOr(Schema.String)
})
export type SignedTransfer = typeof SignedTransfer.Type

/** Why a transaction is not taken for such a payment, as x402 names reasons, and in a sentence. */
export interface NotPlain {
  readonly _tag: "not_plain"
  readonly reason: string
  readonly message: string
}

const Json = Schema.toCodecJson(SignedTransfer)

/** As it stands in the terms of a submission. */
export const signedTerms = (signed: SignedTransfer): Schema.JsonObject =>
  Schema.encodeSync(Json)(signed) as Schema.JsonObject

export const fromTerms = (terms: Schema.JsonObject): SignedTransfer =>
  Schema.decodeUnknownSync(Json)(terms)
