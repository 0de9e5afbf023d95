/** Deletes an endpoint: nothing more is sent to it, what was sent stays readable. */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { empty } from "./emptying.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { find } from "./find-endpoint.ts"

export const deleteMerchantWebhook = Operation.make("delete_merchant_webhook", {
  summary: "Deletes a webhook endpoint. Its waiting deliveries are not sent.",
  next: "list_webhook_deliveries still shows what was sent.",
  scope: "payment_requests:write",
  nature: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: { id: Schema.String, deleted: Schema.Boolean },
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const { accountId, keyId } = yield* Caller
    yield* find(id)
    yield* (yield* WebhookEndpoints).remove(accountId, id, yield* DateTime.now)
    yield* empty(id)
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
