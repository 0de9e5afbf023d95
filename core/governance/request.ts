/**
 * Governance requests: what a human's key asked to change and a passkey has yet to sign. Nothing is changed
 * until then; the payload and its hash are fixed when it is stored.
 */
import { DateTime, Effect, Schema } from "effect"
import { Deployment } from "../operation/deployment.ts"
import type { Role } from "../operation/role.ts"
import * as Timestamp from "../time/timestamp.ts"
import { effectiveStatus } from "../time/timestamp.ts"
import { Action } from "./challenge.ts"

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

/** Whoever says who else may decide is an owner, as where the operation is called. */
export const roleFor = ({ action }: Pick<GovernanceRequest, "action">): Role =>
  action === "add_recipient" || action === "approve_recipient" ? "approver" : "owner"

/** Told of an id that no request of the account has. */
export const missing = {
  param: "requestId",
  what: "governance request",
  operation: "list_governance_requests"
}

export const fields = {
  requestId: Schema.String,
  action: Action,
  status: Status,
  summary: Schema.String,
  payloadHash: Schema.String,
  url: Schema.String,
  createdAt: Timestamp.Encoded,
  expiresAt: Timestamp.Encoded
}

export const view = Effect.fnUntraced(function* (request: GovernanceRequest) {
  const { siteUrl } = yield* Deployment
  return {
    ...request,
    requestId: request.id,
    status: effectiveStatus(request, yield* DateTime.now),
    url: `${siteUrl}/console/governance/${request.id}`
  }
})
