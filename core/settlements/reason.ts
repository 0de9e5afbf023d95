/** Why a payment was not taken, as x402 clients read it. Its reasons are codes; sentences are for people. */

const byRefusal: Readonly<Record<string, string>> = {
  "The wallet has an insufficient balance of USDC.": "insufficient_funds",
  "The signature is invalid.": "invalid_exact_evm_payload_signature",
  "The authorization has expired.": "invalid_exact_evm_payload_authorization_valid_before",
  "The authorization is not valid yet.": "invalid_exact_evm_payload_authorization_valid_after",
  "The authorization was used or cancelled.": "invalid_exact_evm_nonce_already_used"
}

/** The reason for which the token refuses, from what a trial says. */
export const reasonOf = (refusal: string): string =>
  byRefusal[refusal] ?? "invalid_transaction_state"
