/**
 * How many votes a proposal takes by its kind and the rules, and what its open approval comes to: it is performed,
 * rejected, or keeps waiting. Lock the co-signers first, shared or alone, then lock the proposal.
 */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import type { AccountPaused } from "../accounts/pause.ts"
import type { Approval } from "../cosigners/approval.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { cosignersOf, count, sizeOf } from "../cosigners/quorum.ts"
import { type Rule, requiredFor } from "../cosigners/rules.ts"
import * as Usd from "../money/usd.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { newestFirst } from "../operation/page.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import type { SendingHeld } from "../timeline/sending.ts"
import type { PriceUnavailable } from "../tokens/refusals.ts"
import { execute } from "./execute.ts"
import { type AnyKind, kindOf } from "./kind.ts"
import { move } from "./move.ts"
import { isUnsigned, type Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { termsOf } from "./terms.ts"

/** What stands against moving money for a while, and no decision of anybody: what was approved is not ended by it. */
type Meanwhile = SendingHeld | AccountPaused | PriceUnavailable
const passing = ["SENDING_HELD", "ACCOUNT_PAUSED", "PRICE_UNAVAILABLE"] as const
const meanwhile: ReadonlySet<string> = new Set<Meanwhile["_tag"]>(passing)

/** Its last approval has come: done, or failed for a reason of its own that has come up meanwhile. */
const carryOut = Effect.fnUntraced(function* (proposal: Proposal, actor: string) {
  const done = (yield* Atomically).run(execute(proposal, actor))
  return yield* Effect.catch(done, (refusal) =>
    meanwhile.has(refusal._tag)
      ? Effect.fail(refusal as Meanwhile)
      : move(
          proposal,
          { status: "failed", statusReason: `${refusal._tag}: ${refusal.message}` },
          actor
        )
  )
})

/** How an open approval stands by the votes and members of now, and by the stricter of its rules and these. */
export const evaluateVotes = Effect.fnUntraced(function* (
  proposal: Proposal,
  approval: Approval,
  rules: ReadonlyArray<Rule>
) {
  const required = Math.max(approval.required, yield* requiredApprovals(proposal, rules))
  const current = { ...approval, required }
  if (required > approval.required) yield* (yield* Approvals).revise(current)
  return yield* count(current)
})

/** Ends a proposal that its co-signers have turned down. */
export const reject = (proposal: Proposal, actor: string) =>
  move(proposal, { status: "rejected", statusReason: "Its co-signers rejected it." }, actor)

/** What has become of a locked proposal that waits for its co-signers; refused while no money may move, and nothing is lost. */
export const endVote = Effect.fnUntraced(function* (
  proposal: Proposal,
  approval: Approval,
  rules: ReadonlyArray<Rule>,
  actor: string
) {
  const isOverdue = DateTime.isLessThanOrEqualTo(proposal.expiresAt, yield* DateTime.now)
  if (proposal.status !== "requires_action" || isOverdue) return proposal
  const { isApproved, isRejected } = yield* evaluateVotes(proposal, approval, rules)
  if (isRejected) return yield* reject(proposal, actor)
  // Whoever brings a passkey that is still to come judges all of this anew.
  return isApproved && !isUnsigned(proposal) ? yield* carryOut(proposal, actor) : proposal
})

/** Judges all that waits anew, for whoever changed the members or rules; the oldest first, as all lock several. */
export const checkOpenVotes = Effect.fnUntraced(function* (
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
    // Members and rules may change while no money moves; what they let go keeps waiting for it.
    yield* Effect.catchTag(endVote(proposal, approval, rules, actor), passing, () => Effect.void)
  }
})

/** One, if an agent owns the account and anybody can be counted over it. */
const oneOf = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  if (account?.kind !== "agent") return 0
  return sizeOf(yield* cosignersOf(accountId)) > 0 ? 1 : 0
})

/** How many co-signers a proposal takes by a set of rules: its kind says which action it is, and of how much. */
export const requiredApprovals = Effect.fnUntraced(function* (
  proposal: Proposal,
  rules: ReadonlyArray<Rule>
) {
  const { cosigned, cosignedByOne = false, worthNow }: AnyKind = yield* kindOf(proposal)
  if (cosignedByOne) return yield* oneOf(proposal.accountId)
  if (cosigned === undefined || rules.length === 0) return 0
  const terms = yield* termsOf(proposal)
  const { action, amountMicro } = cosigned(terms)
  const nowMicro = worthNow === undefined ? amountMicro : yield* worthNow(terms)
  return requiredFor(rules, action, Usd.max(nowMicro, amountMicro))
})

/** Opens the approval of a proposal that waits for its co-signers. */
export const openApproval = Effect.fnUntraced(function* (proposal: Proposal, required: number) {
  const approval: Approval = {
    id: yield* (yield* Ids).uuid,
    accountId: proposal.accountId,
    proposalId: proposal.id,
    recipientId: null,
    status: "pending",
    required,
    createdAt: proposal.updatedAt,
    expiresAt: proposal.expiresAt
  }
  yield* (yield* Approvals).open(approval)
  const { members } = yield* cosignersOf(proposal.accountId)
  for (const { accountId } of members) {
    yield* giveNotice({
      accountId,
      type: "approval_requested",
      subject: approval.id,
      role: "approver",
      summary: `An account you co-sign for waits for your vote: ${proposal.summary}`,
      path: `/console/votes/${approval.id}`
    })
  }
  return approval
})
