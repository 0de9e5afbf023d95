/**
 * What a payer has signed, in the form of its chain's family: an authorization that the token acts on, or a whole
 * transaction. Its nonce is what the chain takes once.
 */
import type { Schema } from "effect"
import * as Evm from "../evm/journal.ts"
import * as Solana from "../solana/signed-transfer.ts"

export type Authorization = Evm.Authorization | Solana.SignedTransfer

/** Whether it is a transaction of the payer's own. */
export const isTransaction = (signed: Authorization): signed is Solana.SignedTransfer =>
  "wire" in signed

/** As it stands in the terms of a submission. */
export const toTerms = (signed: Authorization): Schema.JsonObject =>
  isTransaction(signed) ? Solana.signedTerms(signed) : Evm.signedTerms(signed)

export const fromTerms = (terms: Schema.JsonObject): Authorization =>
  "wire" in terms ? Solana.fromTerms(terms) : Evm.fromTerms(terms)

/** How x402 calls it that the signed amount is another than what is owed. */
export const wrongAmount = (signed: Authorization): string =>
  isTransaction(signed)
    ? "invalid_exact_svm_payload_amount_mismatch"
    : "invalid_exact_evm_payload_authorization_value"
