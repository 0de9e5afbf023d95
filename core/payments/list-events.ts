/** The list of events: what happened to payment requests, as webhooks send it. Notices are no events. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Page from "../operation/page.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as Customer from "../wallets/customer.ts"
import { Events } from "../webhooks/delivery-store.ts"
import { EventType } from "../webhooks/endpoint.ts"
import type { Event } from "../webhooks/event.ts"

const fields = {
  id: Schema.String,
  type: EventType,
  paymentRequestPid: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.Int).annotate({
    description:
      "The event's number among the events of its payment request, from 1; null for a test."
  }),
  createdAt: Timestamp.Encoded,
  envelope: Schema.Record(Schema.String, Schema.Json)
}

export const listEvents = Page.list("list_events", {
  summary:
    "Lists events, newest first, each as its webhooks send it, optionally of one type, payment request or customer, or of a time.",
  next: "list_webhook_deliveries with eventId shows an event's deliveries.",
  scope: "payment_requests:read",
  key: "events",
  fields,
  input: {
    type: Schema.optionalKey(EventType),
    paymentRequestPid: Schema.optionalKey(Text.Line(64)),
    ...Customer.filterFields,
    ...Page.times
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    const { paymentRequestPid: pid, type } = filter
    const wanted = { type, pid, customer: yield* Customer.wantedCustomer(filter) }
    const period = yield* Page.during(request, filter)
    return yield* (yield* Events).list(accountId, wanted, period)
  }),
  view: ({ body, object: _, pid, type, ...event }: Event) => ({
    ...event,
    // The store lists no notices.
    type: type as EventType,
    paymentRequestPid: pid,
    envelope: JSON.parse(body) as Schema.JsonObject
  })
})
