/**
 * A co-signer's vote: one for each voter and approval, over the intent as it is stored. The vote that
 * completes the quorum does the thing in its own transaction, judged by everything as it is then.
 */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { requireInForce } from "../accounts/in-force.ts"
import { AccountPaused, requireRunning } from "../accounts/pause.ts"
import { record } from "../audit/record.ts"
import { type Approval, SelfApprovalForbidden, sharesWallet } from "../cosigners/approval.ts"
import { Approvals, Cosigners } from "../cosigners/cosigner-store.ts"
import { Id } from "../encoding/id.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { define, NotFound } from "../operation/refusal.ts"
import { endVote } from "../proposals/end-vote.ts"
import { requireSigning } from "../proposals/execute.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { releaseFromCooldown } from "../recipients/release.ts"
import { SendingHeld } from "../timeline/sending.ts"
import { PriceUnavailable } from "../tokens/refusals.ts"
import * as Pending from "./pending.ts"

export class ApprovalNotOpen extends define("APPROVAL_NOT_OPEN", {
  kind: "conflict",
  meaning: "The action was already decided or cancelled, or has expired."
}) {}

const unknown = () =>
  new NotFound({
    param: "pendingApprovalId",
    message:
      "No action with this id waits for this account's vote; see list_pending_cosigner_approvals.",
    next: { operation: "list_pending_cosigner_approvals", args: {} }
  })

/**
 * The approval, if the caller may vote so on it at all; only whom it concerns learns that it exists. A person speaks
 * for the account in another's affairs by their passkey over that very call, by whatever operation they vote.
 */
const votable = Effect.fnUntraced(function* (approvalId: string, isApproval: boolean) {
  const { accountId, person } = yield* Caller
  const approval = yield* (yield* Approvals).find(approvalId)
  if (approval === undefined) return yield* unknown()
  const accounts = yield* Accounts
  const [owner, voter] = [yield* accounts.find(approval.accountId), yield* accounts.find(accountId)]
  const isMember = yield* (yield* Cosigners).cosigns(accountId, approval.accountId)
  if (owner === undefined || voter === undefined) return yield* unknown()
  if (owner.id !== voter.id && !isMember) return yield* unknown()
  if (owner.id !== voter.id && !sharesWallet(owner, voter)) {
    return isApproval && person?.hasSigned === false ? yield* unknown() : approval
  }
  return yield* new SelfApprovalForbidden({
    param: "pendingApprovalId",
    message: "You cannot approve your own action; another co-signer must."
  })
})

const notOpen = (message: string) => new ApprovalNotOpen({ param: "pendingApprovalId", message })

const cast = Effect.fnUntraced(function* (
  approval: Approval,
  { intentHash }: Proposal,
  isApproval: boolean
) {
  const { accountId, keyId } = yield* Caller
  const at = yield* DateTime.now
  const vote = { approvalId: approval.id, voterAccountId: accountId, keyId, isApproval }
  if (!(yield* (yield* Approvals).vote({ ...vote, intentHash, at }))) {
    return yield* notOpen(
      "This account has already voted on this action; a vote cannot be changed."
    )
  }
  for (const logged of [approval.accountId, accountId]) {
    yield* record({
      accountId: logged,
      actor: keyId,
      role: "cosigner",
      action: isApproval ? "cosigner.approved" : "cosigner.rejected",
      subjectType: "cosigner_approval",
      subjectId: approval.id,
      facts: { intentHash }
    })
  }
})

/** Whether the caller may vote so at all: as somebody it concerns, and for nothing of a paused account. */
export const mayVote = Effect.fnUntraced(function* (approvalId: string, isApproval: boolean) {
  yield* requireInForce()
  const { accountId } = yield* votable(approvalId, isApproval)
  if (isApproval) yield* requireRunning(accountId)
})

/** Casts the vote of the caller, and does what it completes. */
export const decide = Effect.fnUntraced(function* (approvalId: string, isApproval: boolean) {
  const { keyId } = yield* Caller
  const approvals = yield* Approvals
  const found = yield* votable(approvalId, isApproval)
  const rules = yield* (yield* Cosigners).lockShared(found.accountId)
  const proposal = (yield* (yield* Proposals).lock(found.proposalId)) as Proposal
  // Read again under the locks: somebody may have decided it while this waited for them.
  const approval = yield* votable(approvalId, isApproval)
  if (approval.status !== "pending")
    return yield* notOpen(`This action was already ${approval.status}.`)
  if (DateTime.isLessThanOrEqualTo(approval.expiresAt, yield* DateTime.now)) {
    return yield* notOpen("This action has expired; it must be proposed again.")
  }
  if (isApproval) {
    yield* requireRunning(approval.accountId)
    // What the last vote starts and is refused ends for good, so no vote is cast meanwhile.
    yield* requireSigning(proposal)
  }
  yield* cast(approval, proposal, isApproval)
  if (approval.recipientId === null) {
    yield* endVote(proposal, approval, rules?.rules ?? [], keyId)
  } else if (isApproval) {
    yield* releaseFromCooldown(approval.accountId, approval.recipientId, keyId)
  }
  return yield* Pending.view((yield* approvals.find(approvalId)) ?? approval)
})

/** How a vote may be refused. */
export const refusals = [
  NotFound,
  SelfApprovalForbidden,
  ApprovalNotOpen,
  AccountPaused,
  SendingHeld,
  PriceUnavailable
] as const

const common = {
  scope: "cosigners:write",
  sideEffect: "money",
  rateLimit: "confirms",
  input: {
    pendingApprovalId: Id("From list_pending_cosigner_approvals.")
  },
  output: Pending.fields,
  refusals,
  example: { input: { pendingApprovalId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } }
} as const

interface Voted {
  readonly pendingApprovalId: string
}

export const approveCosignerAction = Operation.make("approve_cosigner_action", {
  ...common,
  summary:
    "Approves another account's action. The vote that completes the quorum starts the action.",
  next: "list_pending_cosigner_approvals shows the remaining actions.",
  authority: ({ pendingApprovalId }: Voted) => mayVote(pendingApprovalId, true),
  handle: ({ pendingApprovalId }) => decide(pendingApprovalId, true)
})

export const rejectCosignerAction = Operation.make("reject_cosigner_action", {
  ...common,
  summary:
    "Rejects another account's action; the action ends once the remaining co-signers cannot reach the quorum.",
  next: "list_pending_cosigner_approvals shows the remaining actions.",
  authority: ({ pendingApprovalId }: Voted) => mayVote(pendingApprovalId, false),
  handle: ({ pendingApprovalId }) => decide(pendingApprovalId, false)
})
