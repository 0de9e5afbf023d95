/**
 * A proposal: one intent, its hash, and where it stands. Everything that changes money or policy is
 * proposed first and confirmed second; its states move by compare-and-set and never back.
 */
import type { DateTime } from "effect"
import { Schema } from "effect"
import type { TransactionId } from "../chains/address.ts"
import type { Usd } from "../money/usd.ts"
import { define } from "../operation/refusal.ts"
import type { ProposingCall } from "../submissions/identity.ts"
import type { Result } from "../waits/next-step.ts"

export const Status = Schema.Literals([
  "pending_confirm",
  "requires_action",
  "executing",
  "completed",
  "failed",
  "rejected",
  "cancelled",
  "expired",
  "superseded"
])
export type Status = typeof Status.Type

export const SubStatus = Schema.Literals([
  "queued",
  "signing",
  "broadcast",
  "confirming",
  "unknown",
  "ordering",
  "filling",
  "attesting",
  "minting",
  "fulfilling",
  "cancelling",
  "refunding",
  "stuck"
])
export type SubStatus = typeof SubStatus.Type

/** What came of a proposal: null until it has ended. */
export const Outcome = Schema.NullOr(
  Schema.Literals(["executed", "not_executed", "partly_executed", "refunded"])
)
export type Outcome = typeof Outcome.Type

export interface Proposal {
  readonly id: string
  readonly accountId: string
  /** What it is about, by its name among the kinds of the registry. */
  readonly kind: string
  readonly status: Status
  readonly statusReason: string | null
  /** What is to happen, in the kind's own terms; hashed, never changed. */
  readonly terms: Readonly<Record<string, Schema.Json>>
  /** SHA-256 of the canonical intent, hex. */
  readonly intentHash: string
  /** The revision of the limits it was judged by. */
  readonly policyRevision: number
  readonly summary: string
  /** What it pays or trades, in USD by the prices it was proposed at; null for what moves no money. */
  readonly amountMicro: Usd | null
  /** The recipient it depends on; revoking it supersedes the proposal. */
  readonly recipientId: string | null
  readonly proposedBy: string
  /** The call it was proposed by, if that had an idempotency key: what identifies its payment on the chain. */
  readonly call: ProposingCall | null
  /** Whose confirmation it has; it and the proposer are both held to their keys' caveats. */
  readonly confirmedBy: string | null
  readonly txHashes: ReadonlyArray<TransactionId>
  /** Whether it was found paid on the chain, by a payment that the records had forgotten. */
  readonly recovered: boolean
  /** What came of it, said where it ended; null until then. */
  readonly outcome: Outcome
  /** What it sold, bought, got back and paid for, where its kind says so. */
  readonly result: Result | null
  /** When somebody asked to cancel it while it executes. */
  readonly stopAskedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  readonly confirmedAt: DateTime.Utc | null
  /** Whether a human's passkey is among what it waits for, from its confirmation on. */
  readonly takesPasskey: boolean
  /** The human whose passkey has signed its intent. */
  readonly signedBy: string | null
  readonly expiresAt: DateTime.Utc
}

/** What may change about a proposal; its terms, hash and account never do. */
export const changing = [
  "status",
  "statusReason",
  "policyRevision",
  "txHashes",
  "recovered",
  "outcome",
  "result",
  "stopAskedAt",
  "updatedAt",
  "confirmedBy",
  "confirmedAt",
  "takesPasskey",
  "signedBy",
  "expiresAt"
] as const satisfies ReadonlyArray<keyof Proposal>

export const terminal: ReadonlyArray<Status> = [
  "completed",
  "failed",
  "rejected",
  "cancelled",
  "expired",
  "superseded"
]

export const isTerminal = (status: Status): boolean => terminal.includes(status)

/** What came of a proposal that went to a state and said nothing else of it. */
export const outcomeAt = (status: Status): Outcome =>
  isTerminal(status) ? (status === "completed" ? "executed" : "not_executed") : null

/** Which states may follow which (contract, Proposals). */
const follows: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  pending_confirm: [
    "requires_action",
    "executing",
    "completed",
    "failed",
    "cancelled",
    "expired",
    "superseded"
  ],
  requires_action: [
    "executing",
    "completed",
    "failed",
    "rejected",
    "cancelled",
    "expired",
    "superseded"
  ],
  executing: ["completed", "failed"],
  completed: [],
  failed: [],
  rejected: [],
  cancelled: [],
  expired: [],
  superseded: []
}

/** Whether a passkey's signature is still to come. */
export const isUnsigned = ({
  signedBy,
  takesPasskey
}: Pick<Proposal, "takesPasskey" | "signedBy">): boolean => takesPasskey && signedBy === null

export const mayFollow = (from: Status, to: Status): boolean => follows[from].includes(to)

/** The states that one may be written over, itself included. */
export const leadingTo = (status: Status): ReadonlyArray<Status> =>
  Status.literals.filter((from) => from === status || mayFollow(from, status))

/** Hours an unconfirmed proposal stands; days one that waits for somebody's approval does. */
export const confirmWithinHours = 24
export const actWithinDays = 7

export class ProposalNotConfirmable extends define("PROPOSAL_NOT_CONFIRMABLE", {
  kind: "conflict",
  meaning: "The proposal ended before it was confirmed; `details.proposal` shows its status."
}) {}

export class IntentMismatch extends define("INTENT_MISMATCH", {
  kind: "conflict",
  meaning:
    "The proposal's intent hash differs from the one sent; read the proposal again before you confirm it."
}) {}

export class PolicyLimitExceeded extends define("POLICY_LIMIT_EXCEEDED", {
  kind: "forbidden",
  meaning:
    "A transfer would exceed a spending limit (`details.verdicts` shows each rule), or the account has as many wallets as its plan allows (`details.maxWallets`)."
}) {}

export class RecipientNotApproved extends define("RECIPIENT_NOT_APPROVED", {
  kind: "forbidden",
  meaning:
    "The recipient cannot be paid: it is in its cooldown, was revoked, or is not allowed by the key's restrictions."
}) {}
