/** Moves a proposal to another state and writes its audit entry. Dies if the state machine has no such move. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { mayFollow, type Proposal, type Status } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"

export type Change = Partial<
  Pick<
    Proposal,
    | "status"
    | "subStatus"
    | "statusReason"
    | "txHashes"
    | "recovered"
    | "confirmedBy"
    | "confirmedAt"
    | "takesPasskey"
    | "signedBy"
    | "expiresAt"
  >
>

/** How an approval ends with its proposal. */
const endOf = (status: Status) =>
  status === "rejected" || status === "expired"
    ? status
    : status === "executing" || status === "completed"
      ? "approved"
      : "superseded"

/** Co-signers decide no more on what has left its waiting. */
const closeApproval = Effect.fnUntraced(function* (proposalId: string, status: Status) {
  const approvals = yield* Approvals
  const approval = yield* approvals.ofProposal(proposalId)
  if (approval?.status !== "pending") return
  yield* approvals.revise({ ...approval, status: endOf(status) })
})

/** Writes the change of a locked proposal and tells the audit log when its status moved. */
export const move = Effect.fnUntraced(function* (
  proposal: Proposal,
  change: Change,
  actor: string
) {
  const status = change.status ?? proposal.status
  if (status !== proposal.status && !mayFollow(proposal.status, status)) {
    return yield* Effect.die(
      new Error(`Proposal ${proposal.id} cannot go from ${proposal.status} to ${status}.`)
    )
  }
  const moved: Proposal = { ...proposal, ...change, updatedAt: yield* DateTime.now }
  yield* (yield* Proposals).move(moved)
  if (status !== proposal.status) {
    if (proposal.status === "requires_action") yield* closeApproval(proposal.id, status)
    yield* record({
      accountId: proposal.accountId,
      actor,
      action: `proposal.${status}`,
      subjectType: "proposal",
      subjectId: proposal.id,
      facts: {
        from: proposal.status,
        ...(moved.statusReason === null ? {} : { reason: moved.statusReason })
      }
    })
  }
  return moved
})
