/** Sends a stored event again as a new delivery: the same event id and bytes, a fresh signature. */
import { Effect } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { deliveryTo, enqueue } from "./emit.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { Events } from "./event-store.ts"
import * as Find from "./find.ts"

const gone = (url: string) =>
  new NotFound({
    param: "id",
    message: "The endpoint of this delivery was deleted; register it again to receive events.",
    next: { operation: "create_merchant_webhook", args: { url } }
  })

export const replayWebhookDelivery = Operation.make("replay_webhook_delivery", {
  summary: "Sends a stored event to its endpoint again, as a new delivery with a new signature.",
  next: "get_webhook_delivery with the returned id shows the result.",
  scope: "payment_requests:write",
  nature: "write",
  authority: byScope,
  input: { id: Find.DeliveryId },
  output: Find.fields,
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const { accountId, keyId } = yield* Caller
    const { delivery } = yield* Find.findDelivery(id)
    const endpoint = yield* (yield* WebhookEndpoints).find(accountId, delivery.endpointId)
    const event = yield* (yield* Events).find(accountId, delivery.eventId)
    if (endpoint === undefined || event === undefined) return yield* gone(delivery.url)
    const replay = yield* deliveryTo(endpoint, event, delivery.id)
    yield* enqueue([replay])
    yield* record({
      accountId,
      actor: keyId,
      action: "webhook_delivery.replayed",
      subjectType: "webhook_delivery",
      subjectId: delivery.id,
      facts: { replay: replay.id, eventId: event.id }
    })
    return replay
  })
})
