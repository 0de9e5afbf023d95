/** How many co-signers a proposal takes by a set of rules: its kind says which action it is, and of how much. */
import { Effect } from "effect"
import { Approvals } from "../ports/approvals.ts"
import { Ids } from "../ports/ids.ts"
import { termsOf } from "../proposals/execute.ts"
import { kinds } from "../proposals/kinds.ts"
import type { Proposal } from "../proposals/proposal.ts"
import type { Approval } from "./approval.ts"
import { type Rule, requiredFor } from "./rules.ts"

export const demanded = Effect.fnUntraced(function* (
  proposal: Proposal,
  rules: ReadonlyArray<Rule>
) {
  const { cosigned } = kinds[proposal.kind]
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
