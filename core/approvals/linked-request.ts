/**
 * The governance request that stands beside a human's proposal to approve a recipient: two names of one
 * wish, so a signature under either ends both.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { GovernanceRequests } from "../governance/governance-store.ts"
import type { GovernanceRequest } from "../governance/request.ts"
import { actorOf } from "../humans/human.ts"
import type { Passkey } from "../humans/passkey.ts"
import type * as Page from "../operation/page.ts"
import type { Proposal } from "../proposals/proposal.ts"

const pageSize = 100

const openOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const requests = yield* GovernanceRequests
  const now = yield* DateTime.now
  let request: Page.Request | undefined = { limit: pageSize }
  while (request !== undefined) {
    const { next, rows }: Page.Page<GovernanceRequest> = yield* requests.open(
      proposal.accountId,
      now,
      request
    )
    const found = rows.find(({ payload }) => payload.proposalId === proposal.id)
    if (found !== undefined) return found
    request = next === undefined ? undefined : { limit: pageSize, after: next }
  }
  return undefined
})

/** Writes the end of a locked request, with its audit entry. */
export const end = Effect.fnUntraced(function* (
  request: GovernanceRequest,
  status: "applied" | "superseded",
  passkey: Passkey
) {
  const ended = { ...request, status }
  yield* (yield* GovernanceRequests).move(ended)
  yield* record({
    accountId: request.accountId,
    actor: actorOf(passkey.humanId),
    action: `governance_request.${status}`,
    subjectType: "governance_request",
    subjectId: request.id,
    facts: { payloadHash: request.payloadHash, passkeyId: passkey.id }
  })
  return ended
})

/** Locks the request before its proposal, as whoever signs it does; gives back what ends it. */
export const endRequestOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const found = proposal.kind === "approve_recipient" ? yield* openOf(proposal) : undefined
  const request =
    found === undefined
      ? undefined
      : yield* (yield* GovernanceRequests).lock(found.accountId, found.id)
  return Effect.fnUntraced(function* ({ status }: Proposal, passkey: Passkey) {
    if (request?.status === "pending" && status === "completed") {
      yield* end(request, "applied", passkey)
    }
  })
})
