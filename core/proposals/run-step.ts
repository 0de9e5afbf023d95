/**
 * What a proposal does on chains: its submissions are queued in the transaction that starts it, and their end
 * ends it together with its reservation. Their progress is read from them where the proposal is shown.
 */
import { DateTime, Effect } from "effect"
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
import { type Change, moveAll } from "./move.ts"
import type { Proposal, Status } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { keyOf } from "./step.ts"

export interface Queued extends Omit<Terms, "wallet" | "signed" | "identity" | "call"> {
  readonly chainId: string
  /** Of an act that is a call. */
  readonly call?: Terms["call"]
  readonly wallet: NonNullable<Terms["wallet"]>
}

/** Queues what a wallet is to do for a purpose. Returns where that leaves the proposal. */
export const queue = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  { call = null, chainId, ...terms }: Queued
) {
  const { accountId, id: proposalId } = proposal
  const identity = (yield* Identity).derive(ofProposal(proposal))
  const submission = newSubmission(
    {
      id: yield* (yield* Ids).uuid,
      key: keyOf(proposalId),
      purpose: { name: purpose, accountId, proposalId },
      chainId,
      terms: { ...terms, identity, call, signed: null }
    },
    yield* DateTime.now
  )
  if (!(yield* (yield* SubmissionStore).open(submission))) {
    return yield* Effect.die(new Error(`Proposal ${proposalId} was started before.`))
  }
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("submissions"))
  return { status: "executing" as const }
})

const proposalIdOf = ({ purpose }: Submission): string => purpose.proposalId ?? ""

/** What the end of its submission makes of a proposal. */
const endOf = (submission: Submission): Change => ({
  status: submission.status === "final" ? "completed" : "failed",
  statusReason: submission.reason,
  txHashes: submission.txIds,
  recovered: isRecovered(submission)
})

/** Ends the proposals one way or the other, with their reservations, in the running transaction. */
export const ended = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
  const byId = new Map(submissions.map((each) => [proposalIdOf(each), each]))
  const locked = yield* (yield* Proposals).lockAll([...byId.keys()])
  const changes = locked
    .filter(({ status }) => status === "executing")
    .map((proposal) => [proposal, endOf(byId.get(proposal.id) as Submission)] as const)
  const ids = (status: Status) =>
    changes.flatMap(([{ id }, change]) => (change.status === status ? [id] : []))
  const spending = yield* Spending
  yield* spending.consume(ids("completed"))
  yield* spending.release(ids("failed"))
  for (const [proposal, { status }] of changes) {
    yield* (yield* kindOf(proposal)).ended(proposal, status === "completed")
  }
  yield* moveAll(changes, system)
})
