/**
 * Moves proposals to another state and writes their audit entries. Dies if the state machine has no such move.
 * Whoever waits for the end of one is woken by its commit.
 */
import { DateTime, Effect } from "effect"
import { type Change as Audited, recordAll } from "../audit/record.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { mayFollow, outcomeAt, type Proposal, type Status } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"

export type Change = Partial<
  Pick<
    Proposal,
    | "status"
    | "statusReason"
    | "txHashes"
    | "recovered"
    | "outcome"
    | "result"
    | "stopAskedAt"
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

/** Kinds that move no money; when one of them fails, whoever asked has the answer already. */
const ofRecords: ReadonlySet<string> = new Set([
  "rename_account",
  "create_account",
  "add_recipient",
  "approve_recipient"
])

const tellFailed = ({ accountId, id, statusReason, summary }: Proposal) =>
  giveNotice({
    accountId,
    type: "send_failed",
    subject: id,
    role: "approver",
    summary: `Failed: ${summary}${statusReason === null ? "" : ` (${statusReason})`}`,
    path: `/console/proposals/${id}`
  })

const moved = (
  proposal: Proposal,
  change: Change,
  updatedAt: DateTime.Utc
): Effect.Effect<Proposal> => {
  const status = change.status ?? proposal.status
  return status === proposal.status || mayFollow(proposal.status, status)
    ? Effect.succeed({ ...proposal, outcome: outcomeAt(status), ...change, updatedAt })
    : Effect.die(
        new Error(`Proposal ${proposal.id} cannot go from ${proposal.status} to ${status}.`)
      )
}

/** Writes the changes of locked proposals and tells the audit log whose status moved. */
export const moveAll = Effect.fnUntraced(function* (
  changes: ReadonlyArray<readonly [proposal: Proposal, change: Change]>,
  actor: string
) {
  const now = yield* DateTime.now
  const all = yield* Effect.forEach(changes, ([proposal, change]) => moved(proposal, change, now))
  yield* (yield* Proposals).move(all)
  const [atomically, { signal }] = [yield* Atomically, yield* Notifier]
  const entries: Array<Audited> = []
  for (const [at, proposal] of all.entries()) {
    const from = changes[at]?.[0].status
    if (from === undefined || from === proposal.status) continue
    if (from === "requires_action") yield* closeApproval(proposal.id, proposal.status)
    if (proposal.status === "failed" && !ofRecords.has(proposal.kind)) yield* tellFailed(proposal)
    if (from === "executing") yield* atomically.afterCommit(signal("proposals", proposal.id))
    entries.push({
      accountId: proposal.accountId,
      actor,
      action: `proposal.${proposal.status}`,
      subjectType: "proposal",
      subjectId: proposal.id,
      facts: {
        from,
        // What is not to be read from the status alone.
        ...(proposal.outcome === null || proposal.outcome === outcomeAt(proposal.status)
          ? {}
          : { outcome: proposal.outcome }),
        ...(proposal.statusReason === null ? {} : { reason: proposal.statusReason })
      }
    })
  }
  yield* recordAll(entries)
  return all
})

/** The same of one. */
export const move = (proposal: Proposal, change: Change, actor: string) =>
  Effect.map(moveAll([[proposal, change]], actor), ([done]) => done as Proposal)
