/**
 * A merchant's webhook endpoint: where events go, which ones, and how often we try. Its status is never
 * stored, but read off the facts: who disabled it, and since when its attempts fail.
 */
import { DateTime, Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import { NoticeType } from "../notices/notice.ts"
import { define } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"

export const EventType = Schema.Literals([
  "payment_request.created",
  "payment_request.paid",
  "payment_request.payment_failed",
  "payment_request.expired",
  "webhook.test"
])
export type EventType = typeof EventType.Type

/** Whatever is delivered: events, and the notices that an endpoint asks for besides. */
export const MessageType = Schema.Literals([...EventType.literals, ...NoticeType.literals])
export type MessageType = typeof MessageType.Type

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
  /** The notices that it gets besides; none unless somebody who may read the account asked for them. */
  readonly notices: ReadonlyArray<NoticeType>
  readonly description: string | null
  readonly maxAttempts: number
  /** Whether each attempt carries the headers of Standard Webhooks beside ours. */
  readonly standardHeaders: boolean
  /** The key or the person that registered it; null for one of before that was written down. */
  readonly registeredBy: string | null
  readonly sealedSecret: string
  /** The secret before the last rotation, which signs too until its time is over. */
  readonly previousSecret: { readonly sealed: string; readonly endsAt: DateTime.Utc } | null
  readonly disabledAt: DateTime.Utc | null
  /** Since when its attempts fail, by the rule of `health.ts`; kept by whoever makes them. */
  readonly failingSince: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** What may change about an endpoint by hand; how it fares is told by its attempts. */
export const changing = [
  "url",
  "events",
  "notices",
  "description",
  "maxAttempts",
  "standardHeaders",
  "sealedSecret",
  "previousSecret",
  "disabledAt",
  "updatedAt"
] as const satisfies ReadonlyArray<keyof Endpoint>

export class WebhookUrlNotAllowed extends define("WEBHOOK_URL_NOT_ALLOWED", {
  kind: "invalid",
  meaning:
    "A webhook URL must be a public https:// address; the sandbox also takes http://127.0.0.1."
}) {}

export const statusOf = ({
  disabledAt,
  failingSince
}: Pick<Endpoint, "disabledAt" | "failingSince">): typeof EndpointStatus.Type =>
  disabledAt !== null ? "disabled" : failingSince !== null ? "failing" : "active"

/** The place a signing secret is sealed for. */
export const secretPlace = (endpoint: { readonly id: string; readonly accountId: string }) => ({
  table: "webhook_endpoints",
  row: endpoint.id,
  account: endpoint.accountId
})

export const EndpointId = Id("The endpoint's id.")

export const termFields = {
  url: Text.Line(2048).annotate({
    description: "A public https:// URL that answers 2xx; kept in its normal form."
  }),
  events: Schema.Array(Subscribable).check(Schema.isMaxLength(4), Schema.isUnique()).annotate({
    description: "The events to send; empty only if there are notices."
  }),
  notices: Schema.Array(NoticeType)
    .check(Schema.isMaxLength(NoticeType.literals.length), Schema.isUnique())
    .annotate({
      description:
        "The notices of the account to send besides; they need the scope account:read too."
    }),
  description: Text.Line(200),
  maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 })).annotate({
    description: "Maximum number of attempts per delivery, 1 to 10."
  }),
  standardHeaders: Schema.Boolean.annotate({
    description:
      "Whether deliveries also have the headers webhook-id, webhook-timestamp and webhook-signature of Standard Webhooks."
  })
}

export const fields = {
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Subscribable),
  notices: Schema.Array(NoticeType),
  description: Schema.NullOr(Schema.String),
  status: EndpointStatus,
  maxAttempts: Schema.Int,
  standardHeaders: Schema.Boolean,
  disabledAt: Schema.NullOr(Timestamp.Encoded),
  failingSince: Schema.NullOr(Timestamp.Encoded),
  previousSecretEndsAt: Schema.NullOr(Timestamp.Encoded).annotate({
    description: "Until this time, deliveries are also signed with the previous secret."
  }),
  createdAt: Timestamp.Encoded,
  updatedAt: Timestamp.Encoded
}

/** An endpoint as answers show it, at this moment. */
export const viewOf = (endpoint: Endpoint, now: DateTime.Utc) => {
  const { previousSecret, sealedSecret: _, ...rest } = endpoint
  const isOver = previousSecret === null || !DateTime.isGreaterThan(previousSecret.endsAt, now)
  return {
    ...rest,
    status: statusOf(endpoint),
    previousSecretEndsAt: isOver ? null : previousSecret.endsAt
  }
}

export const showNow = (endpoint: Endpoint) =>
  Effect.map(DateTime.now, (now) => viewOf(endpoint, now))

/** Failed attempts since the last that succeeded. */
export interface Health {
  readonly failures: number
  readonly firstFailedAt: DateTime.Utc
  readonly failingSince: DateTime.Utc | null
}

const minFailures = 5
const shortestMs = 60_000

/** Whether an endpoint that was not failing is so from now on. */
export const hasFailed = (health: Health, now: DateTime.Utc): boolean =>
  health.failingSince === null &&
  health.failures >= minFailures &&
  DateTime.toEpochMillis(now) - DateTime.toEpochMillis(health.firstFailedAt) >= shortestMs
