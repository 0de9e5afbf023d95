/**
 * Judges an open approval by the votes, members and rules of this moment, and acts on it: the proposal is
 * done, rejected, or goes on waiting. Consult or convene the council before, then lock the proposal.
 */
import { DateTime, Effect } from "effect"
import { newestFirst } from "../page.ts"
import { Accounts } from "../ports/accounts.ts"
import { Approvals } from "../ports/approvals.ts"
import { Atomically } from "../ports/atomically.ts"
import { Proposals } from "../ports/proposals.ts"
import { execute } from "../proposals/execute.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import type { Approval } from "./approval.ts"
import { count } from "./council.ts"
import { demanded } from "./demand.ts"
import type { Rule } from "./rules.ts"

/** Its last approval has come: done, or failed for a reason of its own that has come up meanwhile. */
const carryOut = Effect.fnUntraced(function* (proposal: Proposal, actor: string) {
  const done = (yield* Atomically).run(execute(proposal, actor))
  return yield* Effect.catch(done, (refusal) =>
    move(proposal, { status: "failed", statusReason: `${refusal._tag}: ${refusal.message}` }, actor)
  )
})

/** What has become of a locked proposal that waits for its co-signers. */
export const settle = Effect.fnUntraced(function* (
  proposal: Proposal,
  approval: Approval,
  rules: ReadonlyArray<Rule>,
  actor: string
) {
  const isOverdue = DateTime.isLessThanOrEqualTo(proposal.expiresAt, yield* DateTime.now)
  if (proposal.status !== "requires_action" || isOverdue) return proposal
  const required = Math.max(approval.required, yield* demanded(proposal, rules))
  const current = { ...approval, required }
  if (required > approval.required) yield* (yield* Approvals).revise(current)
  const { isApproved, isRejected } = yield* count(current)
  if (isRejected) {
    const statusReason = "Its co-signers rejected it."
    return yield* move(proposal, { status: "rejected", statusReason }, actor)
  }
  if (!isApproved) return proposal
  const owner = yield* (yield* Accounts).find(proposal.accountId)
  // A human's passkey is still to come, and whoever brings it judges all of this anew.
  return owner?.kind === "agent" ? yield* carryOut(proposal, actor) : proposal
})

/** Judges all that waits anew, for whoever changed the members or rules; the oldest first, as all lock several. */
export const judgeAgain = Effect.fnUntraced(function* (
  accountId: string,
  rules: ReadonlyArray<Rule>,
  actor: string
) {
  const [approvals, proposals] = [yield* Approvals, yield* Proposals]
  const open = yield* Effect.forEach(yield* approvals.pendingOf(accountId), (proposalId) =>
    proposals.find(accountId, proposalId)
  )
  const waiting = open.filter((each) => each?.status === "requires_action") as Array<Proposal>
  for (const { id } of waiting.toSorted(newestFirst).toReversed()) {
    const proposal = yield* proposals.lock(id)
    const approval = yield* approvals.ofProposal(id)
    if (proposal === undefined || approval === undefined) continue
    yield* settle(proposal, approval, rules, actor)
  }
})
