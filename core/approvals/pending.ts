/** What awaits this account's vote: approvals of the accounts it co-signs for, as a co-signer sees them. */
import { Effect, Schema } from "effect"
import { type Approval, Status } from "../cosigners/approval.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { type CosignerGroup, cosignersOf, count } from "../cosigners/quorum.ts"
import * as Usd from "../money/usd.ts"
import * as Page from "../operation/page.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { termsOf } from "../proposals/terms.ts"
import * as Timestamp from "../time/timestamp.ts"

export const fields = {
  pendingApprovalId: Schema.String,
  userId: Schema.String,
  proposalId: Schema.String,
  kind: Kind.Name,
  summary: Schema.String,
  onChainMemo: Schema.NullOr(Schema.String),
  intentHash: Schema.String,
  amountUsd: Schema.NullOr(Usd.Decimal),
  status: Status,
  required: Schema.Int,
  approvals: Schema.Array(Schema.String),
  rejections: Schema.Array(Schema.String),
  expiresAt: Timestamp.Encoded
}

/** How an approval stands, counted now. */
export const view = Effect.fnUntraced(function* (approval: Approval, group?: CosignerGroup) {
  const { accountId, proposalId, recipientId } = approval
  // An approval and its proposal are one row of the records each, tied by a foreign key.
  const proposal = (yield* (yield* Proposals).find(accountId, proposalId)) as Proposal
  const { approvals, rejections } = yield* count(approval, group)
  const { cosigned, kind, onChainMemo }: Kind.AnyKind = yield* Kind.kindOf(proposal)
  return {
    ...approval,
    pendingApprovalId: approval.id,
    userId: accountId,
    kind: recipientId === null ? kind : ("approve_recipient" as const),
    summary: proposal.summary,
    onChainMemo: onChainMemo?.(yield* termsOf(proposal)) ?? null,
    intentHash: proposal.intentHash,
    amountUsd:
      recipientId !== null || cosigned === undefined
        ? null
        : cosigned(yield* termsOf(proposal)).amountMicro,
    approvals,
    rejections
  }
})

/** A page of them: whom votes are counted over is read once for each owner, and all else of all at once. */
const viewAll = Effect.fnUntraced(function* (approvals: ReadonlyArray<Approval>) {
  const owners = [...new Set(approvals.map(({ accountId }) => accountId))]
  const groups = new Map(
    yield* Effect.forEach(owners, (owner) =>
      Effect.map(cosignersOf(owner), (group) => [owner, group] as const)
    )
  )
  return yield* Effect.forEach(approvals, (each) => view(each, groups.get(each.accountId)), {
    concurrency: "unbounded"
  })
})

export const listPendingCosignerApprovals = Page.list("list_pending_cosigner_approvals", {
  summary: "Lists other accounts' actions that wait for this account's approval.",
  next: "Call approve_cosigner_action or reject_cosigner_action with a pendingApprovalId.",
  scope: "cosigners:read",
  key: "pending_cosigner_approvals",
  fields,
  // Spec section 8.
  defaultLimit: 10,
  page: ({ accountId, now, request }) =>
    Approvals.use(({ awaiting }) => awaiting(accountId, now, request)),
  views: viewAll
})
