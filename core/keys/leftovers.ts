/**
 * What keys leave behind that must end with them: proposals that wait, governance requests nobody has signed,
 * and secrets in answers. Webhooks go on, because a merchant's shop may live on them; they are named.
 */
import { Effect } from "effect"
import { record } from "../audit/record.ts"
import { GovernanceRequests } from "../governance/governance-store.ts"
import { Idempotency } from "../operation/idempotency-store.ts"
import { Purchases } from "../policy/spending-ledger.ts"
import { move } from "../proposals/move.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { WebhookEndpoints } from "../webhooks/endpoint-store.ts"

const cancelRequests = Effect.fnUntraced(function* (
  accountId: string,
  keyIds: ReadonlyArray<string>,
  actor: string
) {
  const requests = yield* GovernanceRequests
  let cancelled = 0
  for (const id of yield* requests.pendingBy(accountId, keyIds)) {
    const request = yield* requests.lock(accountId, id)
    if (request?.status !== "pending") continue
    yield* requests.move({ ...request, status: "cancelled" })
    yield* record({
      accountId,
      actor,
      action: "governance_request.cancelled",
      subjectType: "governance_request",
      subjectId: id,
      facts: { reason: "key_revoked" }
    })
    cancelled += 1
  }
  return cancelled
})

const supersedeProposals = Effect.fnUntraced(function* (
  accountId: string,
  keyIds: ReadonlyArray<string>,
  actor: string
) {
  const proposals = yield* Proposals
  let superseded = 0
  for (const id of yield* proposals.waitingBy(accountId, keyIds)) {
    const proposal = yield* proposals.lock(id)
    if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") continue
    const statusReason = "The API key that requested it was revoked."
    yield* move(proposal, { status: "superseded", statusReason }, actor)
    superseded += 1
  }
  return superseded
})

/** Ends it in the transaction that revokes the keys, and says what it was. */
export const endLeftovers = Effect.fnUntraced(function* (
  accountId: string,
  keyIds: ReadonlyArray<string>,
  actor: string
) {
  // Requests before proposals, in the order of those who sign them.
  const cancelledGovernanceRequests = yield* cancelRequests(accountId, keyIds, actor)
  const supersededProposals = yield* supersedeProposals(accountId, keyIds, actor)
  yield* (yield* Idempotency).eraseSecretsOf(accountId, keyIds)
  yield* (yield* Purchases).eraseKeysOf(accountId, keyIds)
  const webhooks = yield* (yield* WebhookEndpoints).registeredBy(accountId, keyIds)
  return { cancelledGovernanceRequests, supersededProposals, webhooks }
})
