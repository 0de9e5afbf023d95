/** What a wallet is to sign, and in whose name; nothing of it is believed before the records say the same, or it is denied. */
import type { KeyRef } from "../chains/key.ts"
import type { Terms } from "./submission.ts"

export interface Order
  extends Pick<Terms, "act" | "from" | "to" | "amount" | "identity" | "call" | "memo"> {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly chainId: string
  readonly key: KeyRef
  /** Unix seconds on the chain. */
  readonly validBefore: number
}

/** A defect: the records and what is to be signed disagree, which none of our own code brings about. */
export class SigningDenied extends Error {
  override readonly name = "SigningDenied"
  readonly violation: string
  constructor(proposalId: string, violation: string) {
    super(`Proposal ${proposalId} must not be signed: ${violation}.`)
    this.violation = violation
  }
}
