/** Moves a proposal to another state, with its audit entry; a move the life of a proposal does not know is a bug. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Proposals } from "../ports/proposals.ts"
import { mayFollow, type Proposal } from "./proposal.ts"

export type Change = Partial<
  Pick<Proposal, "status" | "subStatus" | "statusReason" | "txHashes" | "confirmedAt" | "expiresAt">
>

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
