/**
 * Changes an endpoint's URL, events, description, attempts or headers; deliveries under way keep the URL
 * and the attempts they were made with.
 */
import { DateTime, Effect, Schema } from "effect"
import { requireInForce } from "../accounts/in-force.ts"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { hold } from "./find-endpoint.ts"
import { checkUrl } from "./register.ts"

export const updateMerchantWebhook = Operation.make("update_merchant_webhook", {
  summary: "Changes a webhook endpoint; omitted fields keep their values.",
  next: "send_merchant_webhook_test sends a test event to the new URL.",
  scope: "payment_requests:write",
  nature: "write",
  authority: requireInForce,
  input: {
    id: Endpoint.EndpointId,
    url: Schema.optionalKey(Endpoint.termFields.url),
    events: Schema.optionalKey(Endpoint.termFields.events),
    description: Schema.optionalKey(Endpoint.termFields.description),
    maxAttempts: Schema.optionalKey(Endpoint.termFields.maxAttempts),
    standardHeaders: Schema.optionalKey(Endpoint.termFields.standardHeaders)
  },
  output: Endpoint.fields,
  refusals: [NotFound, Endpoint.WebhookUrlNotAllowed],
  handle: Effect.fnUntraced(function* ({ id, ...changes }) {
    const endpoint = yield* hold(id)
    if (changes.url !== undefined) yield* checkUrl(changes.url)
    const now = yield* DateTime.now
    const updated: Endpoint.Endpoint = { ...endpoint, ...changes, updatedAt: now }
    yield* (yield* WebhookEndpoints).revise(updated)
    yield* record({
      accountId: endpoint.accountId,
      actor: (yield* Caller).keyId,
      action: "merchant_webhook.updated",
      subjectType: "merchant_webhook",
      subjectId: id,
      facts: { changed: Object.keys(changes).sort().join(",") }
    })
    return Endpoint.shown(updated, now)
  })
})
