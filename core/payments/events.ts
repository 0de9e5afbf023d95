/** Reads of events: what happened to payment requests, as webhooks send it. Notices are no events. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { NotFound } from "../operation/refusal.ts"
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

const view = ({ body, object: _, pid, type, ...event }: Event) => ({
  ...event,
  // No notice gets here.
  type: type as EventType,
  paymentRequestPid: pid,
  envelope: JSON.parse(body) as Schema.JsonObject
})

export const getEvent = Operation.make("get_event", {
  summary: "Reads one event, as its webhooks send it.",
  next: "list_webhook_deliveries with eventId shows its deliveries.",
  scope: "payment_requests:read",
  input: { eventId: Text.Line(64).annotate({ description: "The event's id (`evt_…`)." }) },
  output: fields,
  refusals: [NotFound],
  example: { input: { eventId: "evt_0Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op" } },
  handle: ({ eventId }) =>
    Effect.map(
      findOwn({ param: "eventId", what: "event", operation: "list_events" }, (accountId) =>
        Events.use(({ find }) =>
          Effect.map(find(accountId, eventId), (found) =>
            found?.object === "event" ? found : undefined
          )
        )
      ),
      view
    )
})

export const listEvents = Page.list("list_events", {
  summary:
    "Lists events, newest first, each as its webhooks send it, optionally of one type, payment request or customer, or of a time.",
  next: "get_event reads one; list_webhook_deliveries with eventId shows its deliveries.",
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
  view
})
