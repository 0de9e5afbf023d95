/**
 * Disables an endpoint, enables it again, and deletes it. What would have gone to a disabled one is skipped and
 * kept, so that recover_merchant_webhook can make up for it; its queue is emptied by a chore.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { maxRows } from "../background/chore.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { define, NotFound } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Deliveries } from "./delivery-store.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { findEndpoint, holdEndpoint } from "./find.ts"

export class WebhookEndpointEmptying extends define("WEBHOOK_ENDPOINT_EMPTYING", {
  kind: "conflict",
  meaning:
    "The endpoint's waiting deliveries are still being skipped; enable it again in a minute.",
  retryable: true
}) {}

/** Leaves what waits to the chore: nobody claims it any more, and to readers it is skipped already. */
const leave = Effect.gen(function* () {
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("chores"))
})

/** Whether nothing is left to skip. */
export const empty = Effect.fnUntraced(function* (endpointId: string) {
  const skipped = yield* (yield* Deliveries).skipWaiting(endpointId, maxRows)
  if (skipped < maxRows) return true
  yield* leave
  return false
})

const write = Effect.fnUntraced(function* (endpoint: Endpoint.Endpoint, action: string) {
  const { accountId, keyId } = yield* Caller
  yield* (yield* WebhookEndpoints).revise(endpoint)
  yield* record({
    accountId,
    actor: keyId,
    action,
    subjectType: "merchant_webhook",
    subjectId: endpoint.id
  })
})

export const disableMerchantWebhook = Operation.make("disable_merchant_webhook", {
  summary:
    "Stops deliveries to a webhook endpoint; waiting and new deliveries are recorded as skipped.",
  next: "enable_merchant_webhook resumes deliveries; recover_merchant_webhook sends the skipped ones.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: Endpoint.fields,
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const endpoint = yield* holdEndpoint(id)
    const now = yield* DateTime.now
    if (endpoint.disabledAt !== null) return Endpoint.viewOf(endpoint, now)
    const disabled = { ...endpoint, disabledAt: now, updatedAt: now }
    yield* write(disabled, "merchant_webhook.disabled")
    yield* leave
    return Endpoint.viewOf(disabled, now)
  })
})

export const enableMerchantWebhook = Operation.make("enable_merchant_webhook", {
  summary: "Resumes deliveries to a disabled webhook endpoint, from the next event on.",
  next: "recover_merchant_webhook sends the deliveries that were skipped.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: Endpoint.fields,
  refusals: [NotFound, WebhookEndpointEmptying],
  handle: Effect.fnUntraced(function* ({ id }) {
    const endpoint = yield* holdEndpoint(id)
    const now = yield* DateTime.now
    if (endpoint.disabledAt === null) return Endpoint.viewOf(endpoint, now)
    // What was skipped would come alive again with the endpoint.
    if (!(yield* empty(id))) {
      return yield* new WebhookEndpointEmptying({
        param: "id",
        message:
          "The waiting deliveries are still being skipped; enable the endpoint again in a minute."
      })
    }
    // Whether it still fails is to be seen anew.
    yield* (yield* WebhookEndpoints).noteSuccess(id)
    const enabled = { ...endpoint, disabledAt: null, failingSince: null, updatedAt: now }
    yield* write(enabled, "merchant_webhook.enabled")
    return Endpoint.viewOf(enabled, now)
  })
})

/** Deletes an endpoint: nothing more is sent to it, what was sent stays readable. */
export const deleteMerchantWebhook = Operation.make("delete_merchant_webhook", {
  summary: "Deletes a webhook endpoint. Its waiting deliveries are not sent.",
  next: "list_webhook_deliveries still shows what was sent.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: { id: Schema.String, deleted: Schema.Boolean },
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const { accountId, keyId } = yield* Caller
    yield* findEndpoint(id)
    yield* (yield* WebhookEndpoints).remove(accountId, id, yield* DateTime.now)
    yield* leave
    yield* record({
      accountId,
      actor: keyId,
      action: "merchant_webhook.deleted",
      subjectType: "merchant_webhook",
      subjectId: id
    })
    return { id, deleted: true }
  })
})
