/**
 * Governance requests: what a human's key asked to change and a passkey has yet to sign. Nothing is changed
 * until then; the payload and its hash are fixed when it is stored.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import * as Page from "../operation/page.ts"
import { Ids } from "../ports/ids.ts"
import { statusAt } from "../time/expiry.ts"
import * as Instant from "../time/timestamp.ts"
import { Action } from "./challenge.ts"
import { GovernanceRequests } from "./request-store.ts"

export const Status = Schema.Literals([
  "pending",
  "applied",
  "expired",
  "cancelled",
  "superseded",
  // Of earlier installations; read, never written.
  "scheduled"
])
export type Status = typeof Status.Type

export const openDays = 7

export interface GovernanceRequest {
  readonly id: string
  readonly accountId: string
  readonly action: Action
  /** The body as it was asked for; hashed, never changed. */
  readonly payload: Schema.JsonObject
  readonly payloadHash: string
  /** A line of our own words. */
  readonly summary: string
  readonly requestedBy: string
  /** As stored: a pending one is expired by the passage of its time. */
  readonly status: Status
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export const fields = {
  requestId: Schema.String,
  action: Action,
  status: Status,
  summary: Schema.String,
  payloadHash: Schema.String,
  url: Schema.String,
  createdAt: Instant.Shown,
  expiresAt: Instant.Shown
}

export const view = Effect.fnUntraced(function* (request: GovernanceRequest) {
  const { siteUrl } = yield* Deployment
  return {
    ...request,
    requestId: request.id,
    status: statusAt(request, yield* DateTime.now),
    url: `${siteUrl}/console/governance/${request.id}`
  }
})

/** Stores what waits for a passkey. */
export const requestGovernance = Effect.fnUntraced(function* (
  wanted: Pick<GovernanceRequest, "action" | "payload" | "payloadHash" | "summary">
) {
  const { accountId, keyId } = yield* Caller
  const createdAt = yield* DateTime.now
  const request: GovernanceRequest = {
    ...wanted,
    id: yield* (yield* Ids).uuid,
    accountId,
    requestedBy: keyId,
    status: "pending",
    createdAt,
    expiresAt: DateTime.add(createdAt, { days: openDays })
  }
  yield* (yield* GovernanceRequests).store(request)
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

export const listGovernanceRequests = Page.list("list_governance_requests", {
  summary: "Lists the governance requests that wait for a passkey's signature.",
  next: "A human opens the url and signs; cancel_governance_request withdraws one.",
  scope: "cosigners:read",
  key: "governance_requests",
  fields,
  page: ({ accountId, now, request }) =>
    GovernanceRequests.use(({ open }) => open(accountId, now, request)),
  views: Effect.forEach(view)
})
