/**
 * Delivers anew: one delivery, or what failed or was skipped at an endpoint in some time. There an event that has
 * arrived, or is on its way, is left alone, so that asking twice sends nothing twice.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import type { NoticeType } from "../notices/notice.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { InsufficientScope, InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Delivery } from "./delivery.ts"
import { Deliveries, Events } from "./delivery-store.ts"
import { deliveryTo, enqueue } from "./emit.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import * as Find from "./find.ts"
import { holdEndpoint } from "./find.ts"
import { isNotice, mayReplay, maySendAgain } from "./notices.ts"

/** As many as one transaction looks at without holding anybody up: each that is sent again is written to ten indexes. */
const maxAtOnce = 100

const Recoverable = Schema.Literals(["failed", "skipped", "gone"])

const replayed = Effect.fnUntraced(function* (endpoint: Endpoint.Endpoint, lost: Delivery) {
  const event = { id: lost.eventId, accountId: lost.accountId, type: lost.eventType }
  return yield* deliveryTo(endpoint, event, lost.id)
})

/** A cursor says where its period ends too: what is sent again, and lost again, while somebody pages is not in it. */
const untilIn = ({ after }: Page.Request) => {
  const found = /^(?<id>.+)_(?<until>\d{1,15})$/u.exec(after?.id ?? "")?.groups
  const until = DateTime.make(Number(found?.until))
  return after === undefined || found?.id === undefined || until._tag === "None"
    ? undefined
    : { after: { ...after, id: found.id }, until: DateTime.toUtc(until.value) }
}

const withUntil = <Row>({ next, rows }: Page.Page<Row>, until: DateTime.Utc): Page.Page<Row> =>
  next === undefined
    ? { rows }
    : { rows, next: { ...next, id: `${next.id}_${DateTime.toEpochMillis(until)}` } }

const check = (endpoint: Endpoint.Endpoint, since: DateTime.Utc, until: DateTime.Utc) => {
  if (endpoint.disabledAt !== null) {
    return Effect.fail(
      new InvalidRequest({
        param: "id",
        message: "This webhook endpoint is disabled; enable it first.",
        next: { operation: "enable_merchant_webhook", args: { id: endpoint.id } }
      })
    )
  }
  return DateTime.isLessThan(since, until)
    ? Effect.void
    : Effect.fail(
        new InvalidRequest({ param: "since", message: "`since` must be before `until`." })
      )
}

export const recoverMerchantWebhook = Operation.make("recover_merchant_webhook", {
  summary:
    "Resends failed and skipped deliveries of a webhook endpoint from a period of time, each event once; notices only while the endpoint asks for them and the key has account:read. A call reads up to 100 of them, oldest first.",
  next: "While hasMore is true, call it again with cursor: nextCursor; list_webhook_deliveries shows the results.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: {
    id: Endpoint.EndpointId,
    since: Timestamp.Input.annotate({
      description: "Start of the period, by the time a delivery was created."
    }),
    until: Schema.optionalKey(
      Timestamp.Input.annotate({
        description: "End of the period, exclusive. Default: now, or the time of the first page."
      })
    ),
    status: Schema.optionalKey(
      Recoverable.annotate({
        description: "Only deliveries with these statuses. Default: failed and skipped."
      })
    ),
    cursor: Page.input.cursor
  },
  output: {
    id: Schema.String,
    recovered: Schema.Int.annotate({ description: "Number of new deliveries." }),
    failed: Schema.Int.annotate({ description: "Number of them that had failed." }),
    skipped: Schema.Int.annotate({ description: "Number of them that had been skipped." }),
    gone: Schema.Int.annotate({ description: "Number of them that had been answered with 410." }),
    ...Page.output
  },
  refusals: [NotFound],
  example: { input: { since: "2026-11-20T00:00:00Z", until: "2026-11-21T00:00:00Z" } },
  handle: Effect.fnUntraced(function* ({ id, since, status, until: asked, ...from }) {
    const { accountId, keyId } = yield* Caller
    const endpoint = yield* holdEndpoint(id)
    const request = yield* Page.request({ limit: maxAtOnce, ...from })
    const begun = untilIn(request)
    const now = yield* DateTime.now
    const until = DateTime.min(asked ?? begun?.until ?? now, begun?.until ?? asked ?? now)
    yield* check(endpoint, since, until)
    const page = yield* (yield* Deliveries).recoverable(
      {
        accountId,
        endpointId: id,
        since,
        until,
        statuses: status === undefined ? ["failed", "skipped"] : [status]
      },
      begun === undefined ? request : { ...request, after: begun.after }
    )
    const isSent = yield* maySendAgain
    const lost = page.rows.filter(({ eventType }) => isSent(endpoint, eventType))
    yield* enqueue(yield* Effect.forEach(lost, (each) => replayed(endpoint, each)))
    yield* record({
      accountId,
      actor: keyId,
      action: "merchant_webhook.recovered",
      subjectType: "merchant_webhook",
      subjectId: id,
      facts: {
        since: DateTime.formatIso(since),
        until: DateTime.formatIso(until),
        recovered: String(lost.length)
      }
    })
    const count = (ended: typeof Recoverable.Type) =>
      lost.filter((each) => each.status === ended).length
    return {
      id,
      recovered: lost.length,
      failed: count("failed"),
      skipped: count("skipped"),
      gone: count("gone"),
      // No page after the first goes beyond it, or what is lost again while somebody pages has no end.
      ...Page.answer(withUntil(page, DateTime.min(until, now)))
    }
  })
})

const gone = (url: string) =>
  new NotFound({
    param: "id",
    message: "The endpoint of this delivery was deleted; register it again to receive events.",
    next: { operation: "create_merchant_webhook", args: { url } }
  })

const turnedOff = ({ id, notices }: Endpoint.Endpoint, type: NoticeType) =>
  new InvalidRequest({
    param: "id",
    message:
      "The endpoint does not ask for notices of this type any more; ask for them with update_merchant_webhook first.",
    next: { operation: "update_merchant_webhook", args: { id, notices: [...notices, type] } }
  })

/** Sends a stored event again as a new delivery: the same event id and bytes, a fresh signature. */
export const replayWebhookDelivery = Operation.make("replay_webhook_delivery", {
  summary: "Sends a stored event to its endpoint again, as a new delivery with a new signature.",
  next: "get_webhook_delivery with the returned id shows the result.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: mayReplay,
  input: { id: Find.DeliveryId },
  output: Find.fields,
  refusals: [NotFound, InsufficientScope],
  handle: Effect.fnUntraced(function* ({ id }) {
    const { accountId, keyId } = yield* Caller
    const { delivery } = yield* Find.findDelivery(id)
    const endpoint = yield* (yield* WebhookEndpoints).find(accountId, delivery.endpointId)
    const event = yield* (yield* Events).find(accountId, delivery.eventId)
    if (endpoint === undefined || event === undefined) return yield* gone(delivery.url)
    const { eventType } = delivery
    if (isNotice(eventType) && !endpoint.notices.includes(eventType)) {
      return yield* turnedOff(endpoint, eventType)
    }
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
