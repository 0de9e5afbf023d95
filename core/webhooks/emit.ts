/**
 * Writes an event and a delivery for every endpoint that wants it, in the transaction of the change it tells of: the
 * event exists if and only if the change does. Workers hear of it after the commit. A test event goes to one endpoint.
 */
import { DateTime, Effect, type Schema } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import type { Delivery } from "./delivery.ts"
import { Deliveries, Events } from "./delivery-store.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { apiVersion, type Event } from "./event.ts"
import * as Find from "./find.ts"
import { findEndpoint } from "./find.ts"

/** A new delivery of an event: due at once, or `skipped` while its endpoint is disabled. */
export const deliveryTo = Effect.fnUntraced(function* (
  endpoint: Endpoint.Endpoint,
  event: Pick<Event, "id" | "accountId" | "type">,
  replayOf: string | null = null
) {
  const now = yield* DateTime.now
  const disabled = endpoint.disabledAt !== null
  const delivery: Delivery = {
    id: yield* (yield* Ids).uuid,
    accountId: event.accountId,
    eventId: event.id,
    eventType: event.type,
    endpointId: endpoint.id,
    url: endpoint.url,
    status: disabled ? "skipped" : "pending",
    attemptCount: 0,
    maxAttempts: endpoint.maxAttempts,
    nextAttemptAt: disabled ? null : now,
    lastResponseStatus: null,
    lastError: null,
    createdAt: now,
    deliveredAt: null,
    replayOf,
    sequence: null
  }
  return delivery
})

/** Queues deliveries and wakes the workers once the transaction has committed. */
export const enqueue = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
  if (deliveries.length === 0) return
  yield* (yield* Deliveries).enqueue(deliveries)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("deliveries"))
})

/** Writes the event; its body is fixed here and sent as it stands from now on. */
export const write = Effect.fnUntraced(function* (
  accountId: string,
  type: Endpoint.EventType,
  pid: string | null,
  object: Schema.JsonObject
) {
  const { livemode } = yield* Deployment
  const createdAt = yield* DateTime.now
  const id = `evt_${yield* (yield* Ids).base62(24)}`
  const events = yield* Events
  const version = pid === null ? null : yield* events.nextVersion(accountId, pid)
  const envelope = {
    id,
    object: "event",
    type,
    created: Math.floor(DateTime.toEpochMillis(createdAt) / 1000),
    livemode,
    api_version: apiVersion,
    data: version === null ? { object } : { object, version }
  }
  const body = JSON.stringify(envelope)
  const event: Event = { id, accountId, type, pid, version, body, createdAt }
  yield* events.append(event)
  return event
})

/** Tells every subscribed endpoint of a change. */
export const emit = Effect.fnUntraced(function* (
  accountId: string,
  type: Endpoint.Subscribable,
  pid: string,
  object: Schema.JsonObject
) {
  const event = yield* write(accountId, type, pid, object)
  const endpoints = yield* (yield* WebhookEndpoints).subscribed(accountId, type)
  yield* enqueue(yield* Effect.forEach(endpoints, (endpoint) => deliveryTo(endpoint, event)))
  return event
})

/** Sends a `webhook.test` event to one endpoint, whatever it subscribed to. */
export const sendMerchantWebhookTest = Operation.make("send_merchant_webhook_test", {
  summary: "Sends a signed webhook.test event to one endpoint at once and returns its delivery.",
  next: "get_webhook_delivery with the returned id shows the result.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: Find.fields,
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const endpoint = yield* findEndpoint(id)
    const event = yield* write(endpoint.accountId, "webhook.test", null, {
      message: "This is a test event. If you verified its signature, you are ready.",
      endpointId: endpoint.id
    } satisfies Schema.JsonObject)
    const delivery = yield* deliveryTo(endpoint, event)
    yield* enqueue([delivery])
    yield* record({
      accountId: endpoint.accountId,
      actor: (yield* Caller).keyId,
      action: "merchant_webhook.tested",
      subjectType: "merchant_webhook",
      subjectId: endpoint.id
    })
    return delivery
  })
})
