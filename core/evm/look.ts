/**
 * What the steps of a submission on an EVM chain have in common: what they look at, and how a step ends. What
 * the network charges is asked once for a batch, and only when one of them needs it.
 */
import type { Effect } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "../ports/chains.ts"
import { anew, type Submission } from "../submissions/submission.ts"
import type { Claimed } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import type * as Journal from "./journal.ts"
import type { Fees } from "./journal.ts"
import type { Conditions, EvmRelay } from "./relay.ts"

/** How long the token takes an authorization: long enough to confirm, short enough to end in doubt soon. */
export const validForSeconds = 1200

export type ReadConditions = Effect.Effect<Conditions, ChainUnavailable, EvmRelay>

/** The transaction that is made for a submission once it has its place. */
export interface Planned {
  readonly fees: Fees
  readonly conditions: Conditions
  readonly relayer: AddressKey
  /** Whether the nonce it holds serves still; otherwise it takes the relayer's next. */
  readonly isHeld: boolean
}

/** What the steps of those that are due together share. */
export interface Shared {
  readonly conditions: ReadConditions
  /** By the id of the submission. */
  readonly planned: Map<string, Planned>
  /** The wallet's nonce that is to be held, by the id of the submission. */
  readonly holds: Map<string, number>
  /** Ids of those whose newest bytes were handed over a moment ago. */
  readonly handedOver: Set<string>
}

export interface Look extends Claimed, Shared {
  readonly authorization: Journal.Authorization
  readonly attempts: Journal.Journal["attempts"]
}

/** It takes its place, and the transaction is made. */
export const plan = ({ planned }: Shared, at: Submission, transaction: Planned): Step => {
  planned.set(at.id, transaction)
  return { at, next: "place" }
}

export const onward = (at: Submission): Step => ({ at, next: "step" })
export const waiting = (at: Submission, waitMs?: number): Step => ({
  at,
  next: "wait",
  ...(waitMs === undefined ? {} : { waitMs })
})

/** As it was before it was signed, but for the relayer's nonce: the next transaction takes that. */
export const unsigned = (submission: Submission, reason: string | null): Submission => {
  const { relayer, relayerSequence } = submission
  return { ...anew(submission), relayer, relayerSequence, reason }
}

/** The token did it: for now in a block, or for good. A nonce that nothing of ours used is tidied up after. */
export const paid = (
  { attempts, submission }: Look,
  { isFinal, txHash }: { readonly txHash: TransactionId; readonly isFinal: boolean }
): Step => {
  const at = { ...submission, reason: null, txIds: [txHash] }
  if (!isFinal) return waiting({ ...at, status: "seen" })
  const isOurs = attempts.some((attempt) => attempt.txHash === txHash)
  return { at: { ...at, status: "final" }, next: isOurs ? "close" : "step" }
}
