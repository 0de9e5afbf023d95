/**
 * What becomes of a submission whose payment the chain knows already, though nothing was signed for it here: the
 * records are older than the chain. What was paid is never signed again.
 */
import type { AddressKey, TransactionId } from "../chains/address.ts"
import * as Amount from "../chains/token-amount.ts"
import type { Submission } from "./submission.ts"
import type { FoundPayment, Step } from "./submitter.ts"

/** Whether what was found pays so much to that address, in itself or in the token that was bought for it. */
export const isPaidBy = (
  { bought, paid }: FoundPayment,
  wanted: {
    readonly to: AddressKey
    readonly amount: Amount.TokenAmount
    readonly buy?: AddressKey
  }
): boolean =>
  paid !== null &&
  paid.to === wanted.to &&
  Amount.isSame(paid.amount, wanted.amount) &&
  bought?.token.address === wanted.buy

const usedOtherwise = (txId: TransactionId) =>
  `The idempotency key was already used for another payment, in ${txId}. Nothing was sent; propose it again with a new key.`

/** It ends as the chain says once that is final, and waits until then. */
export const recovered = (
  submission: Submission,
  found: FoundPayment,
  wanted: Parameters<typeof isPaidBy>[1] = submission.terms
): Step => {
  const at: Submission = { ...submission, reason: null, txIds: [found.txId] }
  if (!found.isFinal) return { at: { ...at, status: "seen" }, next: "wait" }
  return isPaidBy(found, wanted)
    ? { at: { ...at, status: "final" }, next: "step" }
    : {
        at: { ...submission, txIds: [], status: "failed", reason: usedOtherwise(found.txId) },
        next: "step"
      }
}
