/** Why a payment was not taken, as x402 clients read it. Its reasons are codes; sentences are for people. */
import { outOfGas, ranOut, reverted, revertedForGood, spentOtherwise } from "../evm/reasons.ts"
import { expired, outOfUsdc } from "../solana/reasons.ts"

const bySentence: Readonly<Record<string, string>> = {
  "The wallet has an insufficient balance of USDC.": "insufficient_funds",
  "The signature is invalid.": "invalid_exact_evm_payload_signature",
  "The authorization has expired.": "invalid_exact_evm_payload_authorization_valid_before",
  "The authorization is not valid yet.": "invalid_exact_evm_payload_authorization_valid_after",
  "The authorization was used or cancelled.": "invalid_exact_evm_nonce_already_used",
  [spentOtherwise]: "invalid_exact_evm_nonce_already_used",
  [ranOut]: "invalid_exact_evm_payload_authorization_valid_before",
  [reverted]: "transaction_reverted",
  [revertedForGood]: "transaction_reverted",
  [outOfGas]: "relayer_out_of_gas",
  [outOfUsdc]: "insufficient_funds",
  [expired]: "invalid_exact_svm_transaction_failed"
}

/** The reason for which a payment waits or was not taken, from what is told of it. */
export const reasonOf = (sentence: string): string =>
  bySentence[sentence] ?? "invalid_transaction_state"
