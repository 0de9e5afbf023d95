/**
 * Judges an open approval by the votes, members and rules of this moment, and acts on it: the proposal is
 * done, rejected, or goes on waiting. Consult or convene the council before, then lock the proposal.
 */
import { Effect } from "effect"
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
  if (proposal.status !== "requires_action") return proposal
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

/** The same for whoever changed the members or rules of an account. */
export const judgeAgain = Effect.fnUntraced(function* (
  proposalId: string,
  rules: ReadonlyArray<Rule>,
  actor: string
) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  const approval = yield* (yield* Approvals).ofProposal(proposalId)
  if (proposal === undefined || approval === undefined) return
  yield* settle(proposal, approval, rules, actor)
})
