/** A proposal as every surface shows it; what to do next is derived from its state, never stored. */

import { Effect, Schema } from "effect"
import { TransactionId } from "../chains/address.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { count } from "../cosigners/quorum.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import type { Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Step as AnyStep } from "../waits/next-step.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { whileExecuting } from "./doing.ts"
import * as Kind from "./kind.ts"
import { isTerminal, Outcome, type Proposal, Status, SubStatus } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import * as Step from "./step.ts"
import { termsOf } from "./terms.ts"

const NextAction = Schema.Struct({
  type: Schema.Literals(["passkey_approval", "cosigner_approval", "governance_signature"]),
  url: Schema.NullOr(Schema.String),
  required: Schema.Int,
  received: Schema.Int,
  expiresAt: Timestamp.Encoded
})

const Fee = Schema.Struct({
  kind: Schema.Literals(["network", "protocol", "relayer", "bridge"]),
  symbol: Schema.String,
  amount: Schema.String,
  amountUsd: Schema.NullOr(Schema.String)
})

const units = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description: `${description} In smallest units.` }))

/** What a trade came to, where a kind says so. */
const ResultFields = {
  soldAmount: units("Only of trades that have ended: what was sold."),
  boughtAmount: units("Only of trades that have ended: what the receiver got."),
  refundedAmount: units("Only of trades that have ended: what came back."),
  feesPaid: Schema.optionalKey(
    Schema.Array(Fee).annotate({
      description:
        "Only of trades that have ended: what was paid beside. On Solana that is the network's fee, which the treasury pays."
    })
  )
}

export const fields = {
  proposalId: Schema.String,
  kind: Kind.Name,
  status: Status,
  subStatus: Schema.NullOr(SubStatus),
  statusReason: Schema.NullOr(Schema.String),
  message: Schema.String,
  intentHash: Schema.String,
  policyRevision: Schema.Int,
  summary: Schema.String,
  memo: Schema.NullOr(Schema.String),
  onChainMemo: Schema.NullOr(Schema.String).annotate({
    description: "The text that its payment carries on the chain, for all to read; null if none."
  }),
  txHashes: Schema.Array(TransactionId),
  steps: Schema.Array(Step.View).annotate({
    description: "What the proposal does on chains, in order; empty until it executes."
  }),
  outcome: Outcome.annotate({ description: "What came of it; null until it has ended." }),
  ...ResultFields,
  recovered: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Only when true: an earlier call with this idempotency key had been carried out already, and nothing was sent or sold again."
    })
  ),
  nextAction: Schema.Array(NextAction),
  createdAt: Timestamp.Encoded,
  updatedAt: Timestamp.Encoded,
  expiresAt: Timestamp.Encoded
}

/** What an answer that proposes shows beside it, when it is given again and the proposal has ended. */
const Current = Schema.Struct({ status: Status, outcome: Outcome })

/** What proposing answers with. */
export const proposed = {
  ...fields,
  current: Schema.optionalKey(
    Current.annotate({
      description:
        "Only in a replayed response, if the proposal has ended: its status and outcome. To propose again, use a new idempotency key."
    })
  )
}

export type View = Schema.Struct<typeof fields>["Type"]

/** A fixed sentence a state; nothing a caller wrote stands in it. */
const messages: Readonly<
  Record<Exclude<Status, "executing">, (id: string, made: string | undefined) => string>
> = {
  pending_confirm: (id) =>
    `Confirm with POST /api/v1/proposals/${id}/confirm or POST /api/mcp/confirm.`,
  requires_action: () => "Waits for an approval; nextAction shows which.",
  completed: (_, made) => (made === undefined ? "It is done." : `It is done; ${made}.`),
  failed: () => "Failed; statusReason says why.",
  rejected: () => "Rejected; nothing was moved.",
  cancelled: () => "Cancelled; nothing was moved.",
  expired: () => "Expired before it was confirmed; nothing was moved.",
  superseded: () => "Superseded: something it relies on has changed. Propose it again."
}

/** What a failed proposal did before it failed. */
const failures: Readonly<Record<NonNullable<Outcome>, string>> = {
  executed: messages.failed("", undefined),
  not_executed: "Failed; nothing was moved. statusReason says why.",
  partly_executed:
    "Failed; steps shows what was done before, statusReason says why it went no further.",
  refunded: "Failed; what was moved came back, less fees. statusReason says why."
}

const stopping =
  "Executing; it was asked to stop, and the chain decides what still happens. Poll get_proposal for the result."

const messageOf = (
  { id, outcome, status, stopAskedAt }: Proposal,
  known: Kind.AnyKind,
  underWay: Step.UnderWay
): string => {
  if (status === "failed" && outcome !== null) return failures[outcome]
  if (status !== "executing") return messages[status](id, known.made)
  return stopAskedAt === null ? whileExecuting(known, underWay) : stopping
}

const waitedFor = (proposal: Proposal, isGoverned: boolean, siteUrl: string) => ({
  type: isGoverned ? ("governance_signature" as const) : ("passkey_approval" as const),
  url: `${siteUrl}/console/proposals/${proposal.id}`,
  required: 1,
  received: proposal.signedBy === null ? 0 : 1,
  expiresAt: proposal.expiresAt
})

/** What a proposal waits for, and how much of it has come. */
const nextActions = Effect.fnUntraced(function* (proposal: Proposal) {
  if (proposal.status !== "requires_action") return []
  const { siteUrl } = yield* Deployment
  const approval = yield* (yield* Approvals).ofProposal(proposal.id)
  const { governs }: Kind.AnyKind = yield* Kind.kindOf(proposal)
  const own = proposal.takesPasskey ? [waitedFor(proposal, governs === true, siteUrl)] : []
  if (approval === undefined) return own
  const { approvals } = yield* count(approval)
  return [
    ...own,
    {
      type: "cosigner_approval" as const,
      url: null,
      required: approval.required,
      received: approvals.length,
      expiresAt: proposal.expiresAt
    }
  ]
})

const viewOf = Effect.fnUntraced(function* (proposal: Proposal, steps: ReadonlyArray<AnyStep>) {
  const known: Kind.AnyKind = yield* Kind.kindOf(proposal)
  const { kind, memo, onChainMemo } = known
  const { recovered, result, stopAskedAt, ...stored } = proposal
  const underWay = Step.underWay(proposal, steps)
  const shown: View = {
    ...stored,
    ...underWay,
    ...(recovered ? { recovered } : {}),
    ...result,
    proposalId: proposal.id,
    kind,
    memo: memo?.(yield* termsOf(proposal)) ?? null,
    onChainMemo: onChainMemo?.(yield* termsOf(proposal)) ?? null,
    message: messageOf(proposal, known, underWay),
    steps: steps.map(Step.viewOf),
    outcome: proposal.outcome,
    nextAction: yield* nextActions(proposal)
  }
  return shown
})

const executed: ReadonlyArray<Status> = ["executing", "completed", "failed"]

/** What proposals do on chains, by proposal and in order; one that never executed has none. */
const stepsOf = Effect.fnUntraced(function* (
  proposals: ReadonlyArray<Proposal>,
  known?: ReadonlyArray<Submission>
) {
  const begun = proposals.filter(({ status }) => executed.includes(status))
  const ids = begun.map(({ id }) => id)
  const submissions =
    ids.length === 0 ? [] : (known ?? (yield* (yield* SubmissionStore).ofProposals(ids)))
  const waitIds = yield* Effect.filter(begun, Kind.hasSeveralSteps)
  const waits =
    waitIds.length === 0 ? [] : yield* (yield* WaitStore).ofProposals(waitIds.map(({ id }) => id))
  const byProposal = Map.groupBy(submissions, ({ purpose }) => purpose.proposalId)
  const waitsByProposal = Map.groupBy(waits, ({ proposalId }) => proposalId)
  return ({ id }: Proposal) => Step.inOrder(byProposal.get(id) ?? [], waitsByProposal.get(id) ?? [])
})

export const views = Effect.fnUntraced(function* (proposals: ReadonlyArray<Proposal>) {
  const steps = yield* stepsOf(proposals)
  return yield* Effect.forEach(proposals, (proposal) => viewOf(proposal, steps(proposal)))
})

/** `submissions`, where they are known, are all of the proposal's. */
export const view = Effect.fnUntraced(function* (
  proposal: Proposal,
  submissions?: ReadonlyArray<Submission>
) {
  return yield* viewOf(proposal, (yield* stepsOf([proposal], submissions))(proposal))
})

/** Of one that has opened this and does nothing else on chains. */
export const viewOfOne = (proposal: Proposal, submission: Submission) =>
  viewOf(proposal, Step.inOrder([submission], []))

const encode = Schema.encodeSync(Schema.toCodecJson(Schema.Struct(fields)))

/** Whether an answer is so old that nothing is kept of it but which proposal it told of. */
const isShort = (answer: Schema.JsonObject) => answer.intentHash === undefined

/** How the proposal of an answer that is given again has ended; with what is no longer kept of an old answer. */
export const sinceThen = Effect.fnUntraced(function* (answer: Schema.JsonObject) {
  const { accountId } = yield* Caller
  const { proposalId } = answer
  if (typeof proposalId !== "string") return undefined
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  if (proposal === undefined) return undefined
  const whole = isShort(answer) ? (encode(yield* view(proposal)) as Schema.JsonObject) : {}
  const { outcome, status } = proposal
  return isTerminal(status) ? { ...whole, current: { status, outcome } } : whole
})
