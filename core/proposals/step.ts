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
import type { Step } from "../waits/next-step.ts"
import { Evidence, StepKind, type Wait } from "../waits/wait.ts"
import type { Proposal, SubStatus } from "./proposal.ts"

const Status = Schema.Literals(["waiting", "submitted", "done", "failed"])

export const View = Schema.Struct({
  n: Schema.Int,
  kind: StepKind,
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

/** How a proposal stands while a step of some kind goes on; a submission of another kind says it by its status. */
const goingOn: Readonly<Partial<Record<StepKind, SubStatus>>> = {
  order: "ordering",
  fill: "filling",
  attest: "attesting",
  mint: "minting",
  fulfil: "fulfilling",
  cancel: "cancelling",
  refund: "refunding"
}

/** What the step of a submission is called where its purpose does not say it. */
const kinds: Readonly<Partial<Record<Submission["terms"]["act"], StepKind>>> = { permit: "permit" }

const kindOf = ({ purpose, terms }: Submission): StepKind =>
  Schema.is(StepKind)(purpose.step) ? purpose.step : (kinds[terms.act] ?? "submit")

/** The key of the submission that is a step of a proposal, counted from one. */
export const keyOf = (proposalId: string, n = 1): string => `proposal ${proposalId} ${n}`

const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf(" ")))

const isOpen = ({ ended }: Wait) => ended === null

/** All steps of an execution, first to last. */
export const inOrder = (
  submissions: ReadonlyArray<Submission>,
  waits: ReadonlyArray<Wait> = []
): ReadonlyArray<Step> =>
  [
    ...submissions.map(
      (submission): Step => ({
        _tag: "submission",
        n: numberIn(submission.key),
        kind: kindOf(submission),
        isEnded: isEnded(submission),
        isDone: submission.status === "final",
        submission
      })
    ),
    ...waits.map(
      (wait): Step => ({
        _tag: "wait",
        n: wait.n,
        kind: wait.kind,
        isEnded: !isOpen(wait),
        isDone: wait.ended?.isDone === true,
        wait
      })
    )
  ].toSorted((one, other) => one.n - other.n)

const txIdsOf = ({ ended }: Wait): ReadonlyArray<TransactionId> =>
  ended?.evidence?.type === "transaction" ? [TransactionId.make(ended.evidence.id)] : []

export const viewOf = (step: Step): View => {
  const { kind, n } = step
  if (step._tag === "wait") {
    const { chainId, ended, openedAt } = step.wait
    return {
      n,
      kind,
      chainId,
      status: ended === null ? "waiting" : ended.isDone ? "done" : "failed",
      txIds: txIdsOf(step.wait),
      at: ended?.at ?? openedAt,
      evidence: ended?.evidence ?? null
    }
  }
  const { chainId, createdAt, status, txIds, updatedAt } = step.submission
  const id = status === "final" ? txIds.at(-1) : undefined
  return {
    n,
    kind,
    chainId,
    status: words[status].step,
    txIds,
    at: step.isEnded ? updatedAt : createdAt,
    evidence: id === undefined ? null : { type: "transaction", id }
  }
}

/** Whether a wait may end without what was waited for: a finalized block is later than its deadline. */
export const isOver = (wait: Wait, finalizedAt: DateTime.Utc): boolean =>
  isOpen(wait) && DateTime.isGreaterThan(finalizedAt, wait.deadline)

/** The transactions of all steps, first to last. */
export const txHashesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<TransactionId> => [
  ...new Set(
    steps.flatMap((step) => (step._tag === "wait" ? txIdsOf(step.wait) : step.submission.txIds))
  )
]

/** The step that says how an execution stands: the open wait, beside which others only help, or the newest. */
const leading = (steps: ReadonlyArray<Step>): Step | undefined =>
  steps.find((step) => step._tag === "wait" && !step.isEnded) ?? steps.at(-1)

const subStatusAt = (step: Step, isStopAsked: boolean): SubStatus => {
  if (step._tag === "wait") {
    if (step.wait.isStuck) return "stuck"
    return isStopAsked ? "cancelling" : (goingOn[step.kind] ?? "confirming")
  }
  const byStatus = subStatusOf(step.submission)
  if (byStatus === "unknown") return byStatus
  return isStopAsked ? "cancelling" : (goingOn[step.kind] ?? byStatus)
}

/** What is shown of an execution that is under way: how its leading step stands. */
export const underWay = (
  {
    status,
    statusReason,
    stopAskedAt,
    txHashes
  }: Pick<Proposal, "status" | "statusReason" | "stopAskedAt" | "txHashes">,
  steps: ReadonlyArray<Step>
) => {
  const step = leading(steps)
  if (status !== "executing" || step === undefined) {
    return { subStatus: null, statusReason, txHashes }
  }
  return {
    subStatus: subStatusAt(step, stopAskedAt !== null),
    statusReason: step._tag === "wait" ? step.wait.reason : step.submission.reason,
    txHashes: txHashesOf(steps)
  }
}

export type UnderWay = ReturnType<typeof underWay>
