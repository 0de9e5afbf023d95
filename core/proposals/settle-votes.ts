/**
 * Evaluates an open approval by the current votes, members and rules, and acts on it: the proposal is
 * performed, rejected, or keeps waiting. Consult or convene the co-signers first, then lock the proposal.
 */
import { DateTime, Effect } from "effect"
import type { Approval } from "../cosigners/approval.ts"
import { Approvals } from "../cosigners/approval-store.ts"
import { count } from "../cosigners/quorum.ts"
import type { Rule } from "../cosigners/rules.ts"
import { newestFirst } from "../operation/page.ts"
import { Atomically } from "../ports/atomically.ts"
import { execute } from "./execute.ts"
import { move } from "./move.ts"
import { isUnsigned, type Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { demanded } from "./votes-required.ts"

/** Its last approval has come: done, or failed for a reason of its own that has come up meanwhile. */
const carryOut = Effect.fnUntraced(function* (proposal: Proposal, actor: string) {
  const done = (yield* Atomically).run(execute(proposal, actor))
  return yield* Effect.catch(done, (refusal) =>
    move(proposal, { status: "failed", statusReason: `${refusal._tag}: ${refusal.message}` }, actor)
  )
})

/** How an open approval stands by the votes and members of now, and by the stricter of its rules and these. */
export const weigh = Effect.fnUntraced(function* (
  proposal: Proposal,
  approval: Approval,
  rules: ReadonlyArray<Rule>
) {
  const required = Math.max(approval.required, yield* demanded(proposal, rules))
  const current = { ...approval, required }
  if (required > approval.required) yield* (yield* Approvals).revise(current)
  return yield* count(current)
})

/** Ends a proposal that its co-signers have turned down. */
export const reject = (proposal: Proposal, actor: string) =>
  move(proposal, { status: "rejected", statusReason: "Its co-signers rejected it." }, actor)

/** What has become of a locked proposal that waits for its co-signers. */
export const settle = Effect.fnUntraced(function* (
  proposal: Proposal,
  approval: Approval,
  rules: ReadonlyArray<Rule>,
  actor: string
) {
  const isOverdue = DateTime.isLessThanOrEqualTo(proposal.expiresAt, yield* DateTime.now)
  if (proposal.status !== "requires_action" || isOverdue) return proposal
  const { isApproved, isRejected } = yield* weigh(proposal, approval, rules)
  if (isRejected) return yield* reject(proposal, actor)
  // Whoever brings a passkey that is still to come judges all of this anew.
  return isApproved && !isUnsigned(proposal) ? yield* carryOut(proposal, actor) : proposal
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
