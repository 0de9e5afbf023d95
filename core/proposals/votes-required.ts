/** How many co-signers a proposal takes by a set of rules: its kind says which action it is, and of how much. */
import { Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import type { Approval } from "../cosigners/approval.ts"
import { Approvals } from "../cosigners/approval-store.ts"
import { councilOf, sizeOf } from "../cosigners/quorum.ts"
import { type Rule, requiredFor } from "../cosigners/rules.ts"
import { Ids } from "../ports/ids.ts"
import { termsOf } from "./execute.ts"
import { type AnyKind, kindOf } from "./kind.ts"
import type { Proposal } from "./proposal.ts"

/** One, if an agent owns the account and anybody can be counted over it. */
const oneOf = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  if (account?.kind !== "agent") return 0
  return sizeOf(yield* councilOf(accountId)) > 0 ? 1 : 0
})

export const demanded = Effect.fnUntraced(function* (
  proposal: Proposal,
  rules: ReadonlyArray<Rule>
) {
  const { cosigned, cosignedByOne = false }: AnyKind = yield* kindOf(proposal)
  if (cosignedByOne) return yield* oneOf(proposal.accountId)
  if (cosigned === undefined || rules.length === 0) return 0
  const { action, amountMicro } = cosigned(yield* termsOf(proposal))
  return requiredFor(rules, action, amountMicro)
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
  return approval
})
