/** Sends a `webhook.test` event to one endpoint, whatever it subscribed to. */
import { Effect, type Schema } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { deliveryTo, enqueue, write } from "./emit.ts"
import * as Endpoint from "./endpoint.ts"
import * as Find from "./find.ts"
import { findEndpoint } from "./find.ts"

export const sendMerchantWebhookTest = Operation.make("send_merchant_webhook_test", {
  summary: "Sends a signed webhook.test event to one endpoint at once and returns its delivery.",
  next: "get_webhook_delivery with the returned id shows the result.",
  scope: "payment_requests:write",
  nature: "write",
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
