/**
 * What a proposal does on chains: its submissions are queued in the transaction that starts it, their
 * progress is told on it, and their end ends it together with its reservation.
 */
import { DateTime, Effect, Equal } from "effect"
import { system } from "../audit/record.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { Identity, ofProposal } from "../submissions/identity.ts"
import {
  isRecovered,
  newSubmission,
  type Submission,
  type Terms
} from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { kindOf } from "./kind.ts"
import { type Change, move } from "./move.ts"
import type { Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { keyOf, subStatusOf } from "./step.ts"

export interface Queued extends Omit<Terms, "wallet" | "signed" | "identity"> {
  readonly chainId: string
  readonly wallet: NonNullable<Terms["wallet"]>
}

/** Queues what a wallet is to do for a purpose. Returns where that leaves the proposal. */
export const queue = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  { chainId, ...terms }: Queued
) {
  const { accountId, id: proposalId } = proposal
  const identity = (yield* Identity).derive(ofProposal(proposal))
  const submission = newSubmission(
    {
      id: yield* (yield* Ids).uuid,
      key: keyOf(proposalId),
      purpose: { name: purpose, accountId, proposalId },
      chainId,
      terms: { ...terms, identity, signed: null }
    },
    yield* DateTime.now
  )
  if (!(yield* (yield* SubmissionStore).open(submission))) {
    return yield* Effect.die(new Error(`Proposal ${proposalId} was started before.`))
  }
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("submissions"))
  return { status: "executing" as const, subStatus: subStatusOf(submission) }
})

const says = (proposal: Proposal, change: Change): boolean =>
  Object.entries(change).every(([field, value]) =>
    Equal.equals(proposal[field as keyof Change], value)
  )

const proposalIdOf = ({ purpose }: Submission): string => purpose.proposalId ?? ""

/** Tells how it stands on the proposal, while that is executing; what it says already is not written again. */
export const progressed = Effect.fnUntraced(function* (submission: Submission) {
  const proposals = yield* Proposals
  const change: Change = {
    subStatus: subStatusOf(submission),
    statusReason: submission.reason,
    txHashes: submission.txIds
  }
  const proposalId = proposalIdOf(submission)
  const before = yield* proposals.find(submission.purpose.accountId ?? "", proposalId)
  if (before !== undefined && says(before, change)) return
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const proposal = yield* proposals.lock(proposalId)
      if (proposal?.status === "executing") yield* move(proposal, change, system)
    })
  )
})

/** Ends the proposal one way or the other, with its reservation, in the running transaction. */
export const ended = Effect.fnUntraced(function* (submission: Submission) {
  const proposal = yield* (yield* Proposals).lock(proposalIdOf(submission))
  if (proposal?.status !== "executing") return
  const spending = yield* Spending
  const isDone = submission.status === "final"
  yield* isDone ? spending.consume(proposal.id) : spending.release(proposal.id)
  yield* (yield* kindOf(proposal)).ended(proposal, isDone)
  const { reason: statusReason, txIds: txHashes } = submission
  const status = isDone ? "completed" : "failed"
  const recovered = isRecovered(submission)
  const change = { status, subStatus: null, statusReason, txHashes, recovered } as const
  yield* move(proposal, change, system)
})
