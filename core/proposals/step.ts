/**
 * The steps of an execution, in order. A step is a submission, or a wait for something outside that ends by
 * evidence on the chain or by its deadline. What is told of them in public stands here, in one table each.
 */

import { DateTime, Schema } from "effect"
import { TransactionId } from "../chains/address.ts"
import {
  isEnded,
  type Submission,
  type Status as SubmissionStatus
} from "../submissions/submission.ts"
import * as Timestamp from "../time/timestamp.ts"
import { isTerminal, type Outcome, type Proposal, type SubStatus } from "./proposal.ts"

export const Kind = Schema.Literals([
  "permit",
  "approve",
  "order",
  "submit",
  "fill",
  "burn",
  "attest",
  "mint",
  "fulfil",
  "cancel",
  "refund"
])
export type Kind = typeof Kind.Type

const Status = Schema.Literals(["waiting", "submitted", "done", "failed"])

/** What on the chain ended a step. */
const Evidence = Schema.Struct({
  type: Schema.Literals(["transaction", "block"]),
  id: Schema.String
})
export type Evidence = typeof Evidence.Type

/** Something outside that is waited for. A provider's word on it is a hint; only the chain ends it. */
export interface Wait {
  readonly n: number
  readonly kind: Kind
  readonly chainId: string
  readonly openedAt: DateTime.Utc
  /** From then on a finalized block that lacks it ends the wait. */
  readonly deadline: DateTime.Utc
  readonly ended: {
    readonly isDone: boolean
    readonly evidence: Evidence
    readonly at: DateTime.Utc
  } | null
}

export const View = Schema.Struct({
  n: Schema.Int,
  kind: Kind,
  chainId: Schema.String,
  status: Status,
  txIds: Schema.Array(TransactionId),
  at: Timestamp.Encoded.annotate({
    description: "When the step ended, or else when it was started."
  }),
  evidence: Schema.NullOr(Evidence).annotate({
    description: "What on the chain ended the step; null until then."
  })
})
export type View = typeof View.Type

/** The public words for the status of a submission: of its step, and of the proposal while it executes. */
const words: Readonly<
  Record<
    SubmissionStatus,
    {
      readonly step: typeof Status.Type
      readonly going: SubStatus
      /** While something stands in its way. */
      readonly stopped: SubStatus
    }
  >
> = {
  prepared: { step: "waiting", going: "queued", stopped: "queued" },
  signed: { step: "waiting", going: "signing", stopped: "queued" },
  submitted: { step: "submitted", going: "broadcast", stopped: "unknown" },
  seen: { step: "submitted", going: "confirming", stopped: "unknown" },
  final: { step: "done", going: "confirming", stopped: "confirming" },
  failed: { step: "failed", going: "unknown", stopped: "unknown" }
}

export const subStatusOf = ({ reason, status }: Submission): SubStatus =>
  words[status][reason === null ? "going" : "stopped"]

const kinds: Readonly<Record<Submission["terms"]["act"], Kind>> = {
  transfer: "submit",
  permit: "permit",
  call: "submit",
  lend: "submit"
}

/** The key of the submission that is a step of a proposal, counted from one. */
export const keyOf = (proposalId: string, n = 1): string => `proposal ${proposalId} ${n}`

const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf(" ")))

export const ofSubmission = (submission: Submission): View => {
  const { chainId, createdAt, key, status, terms, txIds, updatedAt } = submission
  const id = status === "final" ? txIds.at(-1) : undefined
  return {
    n: numberIn(key),
    kind: kinds[terms.act],
    chainId,
    status: words[status].step,
    txIds,
    at: isEnded(submission) ? updatedAt : createdAt,
    evidence: id === undefined ? null : { type: "transaction", id }
  }
}

export const ofWait = ({ chainId, ended, kind, n, openedAt }: Wait): View => ({
  n,
  kind,
  chainId,
  status: ended === null ? "waiting" : ended.isDone ? "done" : "failed",
  txIds: ended?.evidence.type === "transaction" ? [TransactionId.make(ended.evidence.id)] : [],
  at: ended?.at ?? openedAt,
  evidence: ended?.evidence ?? null
})

/** Whether a wait may end without what was waited for: a finalized block is later than its deadline. */
export const isOver = ({ deadline, ended }: Wait, finalizedAt: DateTime.Utc): boolean =>
  ended === null && DateTime.isGreaterThan(finalizedAt, deadline)

export const inOrder = (submissions: ReadonlyArray<Submission>): ReadonlyArray<Submission> =>
  submissions.toSorted((one, other) => numberIn(one.key) - numberIn(other.key))

/** What is shown of an execution that is under way: how its newest step stands. */
export const underWay = (
  { status, statusReason, txHashes }: Pick<Proposal, "status" | "statusReason" | "txHashes">,
  submissions: ReadonlyArray<Submission>
) => {
  const newest = submissions.at(-1)
  if (status !== "executing" || newest === undefined) {
    return { subStatus: null, statusReason, txHashes }
  }
  return {
    subStatus: subStatusOf(newest),
    statusReason: newest.reason,
    txHashes: submissions.flatMap(({ txIds }) => txIds)
  }
}

/** What came of a proposal; null until it has ended. A step that was done has moved or allowed something. */
export const outcomeOf = (
  { status }: Pick<Proposal, "status">,
  steps: ReadonlyArray<View>
): Outcome => {
  if (!isTerminal(status)) return null
  if (status === "completed") return "executed"
  const done = steps.filter((step) => step.status === "done")
  if (done.some(({ kind }) => kind === "refund")) return "refunded"
  return done.length === 0 ? "not_executed" : "partly_executed"
}
