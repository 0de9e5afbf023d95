/** A merchant's webhook endpoint: where events go, which ones, and how often we try. */
import type { DateTime } from "effect"
import { Schema } from "effect"

export const EventType = Schema.Literals([
  "payment_request.created",
  "payment_request.paid",
  "payment_request.payment_failed",
  "payment_request.expired",
  "webhook.test"
])
export type EventType = typeof EventType.Type

/** What an endpoint may subscribe to; a test goes to the endpoint it was asked for. */
export const Subscribable = Schema.Literals([
  "payment_request.created",
  "payment_request.paid",
  "payment_request.payment_failed",
  "payment_request.expired"
])
export type Subscribable = typeof Subscribable.Type

export const EndpointStatus = Schema.Literals(["active", "failing", "disabled"])

export interface Endpoint {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly events: ReadonlyArray<Subscribable>
  readonly description: string | null
  readonly status: typeof EndpointStatus.Type
  readonly maxAttempts: number
  readonly sealedSecret: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
