/** Reads of webhook endpoints and deliveries: where to, what was sent, and how that went. */

import { Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InsufficientScope, NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import { type Delivery, DeliveryStatus } from "./delivery.ts"
import { Deliveries } from "./delivery-store.ts"
import * as Endpoint from "./endpoint.ts"
import { MessageType } from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { isNotice, requireAccountRead } from "./notices.ts"

export const DeliveryId = Id("The delivery's id.")

export const fields = {
  id: Schema.String,
  eventId: Schema.String,
  eventType: MessageType,
  endpointId: Schema.String,
  url: Schema.String,
  status: DeliveryStatus,
  attemptCount: Schema.Int,
  maxAttempts: Schema.Int,
  nextAttemptAt: Schema.NullOr(Timestamp.Encoded),
  lastResponseStatus: Schema.NullOr(Schema.Int),
  lastError: Schema.NullOr(Schema.String),
  createdAt: Timestamp.Encoded,
  deliveredAt: Schema.NullOr(Timestamp.Encoded),
  replayOf: Schema.NullOr(Schema.String),
  sequence: Schema.NullOr(Schema.Int).annotate({
    description:
      "Its sequence number at the endpoint, from 1, in the order of first attempts, without gaps but one of a million or more after the database was replaced; null until its first attempt."
  })
}

const Attempt = Schema.Struct({
  n: Schema.Int,
  at: Timestamp.Encoded,
  trigger: Schema.Literals(["scheduled", "manual"]),
  durationMs: Schema.Int,
  responseStatus: Schema.NullOr(Schema.Int),
  responseBodyTruncated: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
})

/** The caller's delivery with its attempts and body. */
export const findDelivery = (id: string) =>
  findOwn({ param: "id", what: "delivery", operation: "list_webhook_deliveries" }, (accountId) =>
    Deliveries.use(({ find }) => find(accountId, id))
  )

export const getWebhookDelivery = Operation.make("get_webhook_delivery", {
  summary: "Reads one delivery with every attempt and the exact body that was signed.",
  next: "replay_webhook_delivery sends its event again.",
  scope: "payment_requests:read",
  input: { id: DeliveryId },
  output: { ...fields, attempts: Schema.Array(Attempt), body: Schema.String },
  refusals: [NotFound, InsufficientScope],
  handle: Effect.fnUntraced(function* ({ id }) {
    const { attempts, body, delivery } = yield* findDelivery(id)
    if (isNotice(delivery.eventType)) yield* requireAccountRead("Its body")
    return { ...delivery, attempts, body }
  })
})

export const listWebhookDeliveries = Page.list("list_webhook_deliveries", {
  summary: "Lists deliveries, newest first; `status=failed` shows the dead letters.",
  next: "get_webhook_delivery shows the attempts of one.",
  scope: "payment_requests:read",
  key: "webhook_deliveries",
  fields,
  input: {
    status: Schema.optionalKey(DeliveryStatus),
    endpointId: Schema.optionalKey(Id()),
    eventId: Schema.optionalKey(Text.Line(64)),
    eventType: Schema.optionalKey(MessageType),
    sequence: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate(
        {
          description:
            "Deliveries with this sequence number, one of each endpoint; endpointId names the endpoint."
        }
      )
    ),
    since: Schema.optionalKey(
      Timestamp.Input.annotate({ description: "Created at or after this time." })
    ),
    until: Schema.optionalKey(
      Timestamp.Input.annotate({ description: "Created before this time." })
    )
  },
  page: ({ accountId, filter, request }) =>
    Effect.andThen(
      Page.during(request, filter),
      Deliveries.use(({ list }) => list(accountId, filter, request))
    ),
  view: (delivery: Delivery) => delivery
})

const missing = { param: "id", what: "webhook endpoint", operation: "list_merchant_webhooks" }

/** The caller's endpoint; another account's is not found either. */
export const findEndpoint = (id: string) =>
  findOwn(missing, (accountId) => WebhookEndpoints.use(({ find }) => find(accountId, id)))

/** The same, taken for the running transaction: whoever else would change it waits. */
export const holdEndpoint = (id: string) =>
  findOwn(missing, (accountId) => WebhookEndpoints.use(({ hold }) => hold(accountId, id)))

export const getMerchantWebhook = Operation.make("get_merchant_webhook", {
  summary: "Reads one webhook endpoint, without its secret.",
  next: "list_webhook_deliveries shows what was sent to it.",
  scope: "payment_requests:read",
  input: { id: Endpoint.EndpointId },
  output: Endpoint.fields,
  refusals: [NotFound],
  handle: ({ id }) => Effect.flatMap(findEndpoint(id), Endpoint.showNow)
})

export const listMerchantWebhooks = Page.list("list_merchant_webhooks", {
  summary: "Lists the account's webhook endpoints, newest first.",
  next: "send_merchant_webhook_test sends a test event; update_merchant_webhook changes an endpoint.",
  scope: "payment_requests:read",
  key: "merchant_webhooks",
  fields: Endpoint.fields,
  page: ({ accountId, request }) => WebhookEndpoints.use(({ list }) => list(accountId, request)),
  view: (endpoint, { now }) => Endpoint.viewOf(endpoint, now)
})
