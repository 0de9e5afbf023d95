/** Governance requests while they wait for a passkey: asked for, listed, and withdrawn before anybody signs. */

import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Id } from "../encoding/id.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn, orNoSuch } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { define, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { effectiveStatus } from "../time/timestamp.ts"
import { GovernanceRequests } from "./governance-store.ts"
import * as Request from "./request.ts"

export class GovernanceRequestNotOpen extends define("GOVERNANCE_REQUEST_NOT_OPEN", {
  kind: "conflict",
  meaning:
    "The governance request was already signed or cancelled, or has expired; `details.status` says which."
}) {}

const RequestId = Id("The request's id.")

export const cancelGovernanceRequest = Operation.make("cancel_governance_request", {
  summary: "Withdraws a governance request before it is signed. Nothing is changed.",
  next: "Make the request again if it is still needed.",
  scope: "cosigners:write",
  sideEffect: "write",
  authority: byScope,
  input: { requestId: RequestId },
  output: Request.fields,
  refusals: [NotFound, GovernanceRequestNotOpen],
  example: { input: { requestId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ requestId }) {
    const { accountId, keyId } = yield* Caller
    const requests = yield* GovernanceRequests
    const request = yield* orNoSuch(requests.lock(accountId, requestId), Request.missing)
    const status = effectiveStatus(request, yield* DateTime.now)
    if (status === "cancelled") return yield* Request.view(request)
    if (status !== "pending") {
      return yield* new GovernanceRequestNotOpen({
        param: "requestId",
        message: `This request is ${status} and can no longer be withdrawn.`,
        details: { status }
      })
    }
    const cancelled = { ...request, status: "cancelled" as const }
    yield* requests.move(cancelled)
    yield* record({
      accountId,
      actor: keyId,
      action: "governance_request.cancelled",
      subjectType: "governance_request",
      subjectId: request.id
    })
    return yield* Request.view(cancelled)
  })
})

/** As many as one transaction ends with the key that asked for them. */
const maxOpen = 1000

/** Stores what waits for a passkey. */
export const requestGovernance = Effect.fnUntraced(function* (
  wanted: Pick<Request.GovernanceRequest, "action" | "payload" | "payloadHash" | "summary">
) {
  const { accountId, keyId } = yield* Caller
  const createdAt = yield* DateTime.now
  const waiting = yield* (yield* GovernanceRequests).countOpen(accountId, createdAt, maxOpen)
  if (waiting >= maxOpen) {
    return yield* new InvalidRequest({
      message: `${maxOpen} governance requests of this account wait already; sign or cancel some of them first.`,
      next: { operation: "list_governance_requests", args: {} }
    })
  }
  const request: Request.GovernanceRequest = {
    ...wanted,
    id: yield* (yield* Ids).uuid,
    accountId,
    requestedBy: keyId,
    status: "pending",
    createdAt,
    expiresAt: DateTime.add(createdAt, { days: Request.openDays })
  }
  yield* (yield* GovernanceRequests).store(request)
  yield* giveNotice({
    accountId,
    type: "approval_requested",
    subject: request.id,
    role: Request.roleFor(request),
    summary: `Waits for your passkey: ${request.summary}`,
    path: `/console/governance/${request.id}`
  })
  yield* record({
    accountId,
    actor: keyId,
    action: "governance_request.created",
    subjectType: "governance_request",
    subjectId: request.id,
    facts: { action: request.action, payloadHash: request.payloadHash }
  })
  return request
})

export const getGovernanceRequest = Operation.make("get_governance_request", {
  summary: "Reads a governance request: what it would change, and whether it was signed.",
  next: "A person opens the url and signs; cancel_governance_request withdraws a request that waits.",
  scope: "cosigners:read",
  input: { requestId: RequestId },
  output: {
    ...Request.fields,
    payload: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "What was asked for, of which payloadHash is the hash; never changed."
    })
  },
  refusals: [NotFound],
  example: { input: { requestId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ requestId }) {
    const request = yield* findOwn(Request.missing, (accountId) =>
      GovernanceRequests.use(({ find }) => find(accountId, requestId))
    )
    return { ...(yield* Request.view(request)), payload: request.payload }
  })
})

export const listGovernanceRequests = Page.list("list_governance_requests", {
  summary: "Lists the governance requests that wait for a passkey.",
  next: "A person opens the url and signs; cancel_governance_request withdraws a request.",
  scope: "cosigners:read",
  key: "governance_requests",
  fields: Request.fields,
  page: ({ accountId, now, request }) =>
    GovernanceRequests.use(({ open }) => open(accountId, now, request)),
  views: Effect.forEach(Request.view)
})
