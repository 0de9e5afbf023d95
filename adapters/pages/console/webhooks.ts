/** Webhooks: endpoints, every delivery with its attempts, and the events behind them. */
import { Effect } from "effect"
import { isNotice } from "../../../core/webhooks/notices.ts"
import { code, link, state, time } from "./parts/cells.ts"
import type { Visit } from "./parts/guard.ts"
import { type Columns, list, nothing, type Output } from "./parts/list.ts"
import { followedFrom, type Written } from "./parts/live.ts"
import { tableOf, thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

const endpoints = list({
  operation: "list_merchant_webhooks",
  key: "merchant_webhooks",
  at: "/console/webhooks",
  section: "webhooks",
  title: "Webhook endpoints",
  none: "No endpoints.",
  beginning: {
    text: "An endpoint is an address of your server that is told when a payment arrives.",
    first: { href: "/console/new/create_merchant_webhook", text: "Add the first endpoint" }
  },
  idOf: ({ id }) => id,
  known: nothing,
  columns: {
    Endpoint: ({ id, url }) => link(`/console/webhooks/${id}`, url),
    Status: ({ status }) => state(status),
    Events: ({ events, notices }) => [...events, ...notices].join(", "),
    "Maximum attempts": ({ maxAttempts }) => String(maxAttempts),
    Description: ({ description }) => description,
    Created: ({ createdAt }) => time(createdAt)
  },
  actions: [{ href: "/console/new/create_merchant_webhook", text: "Add an endpoint" }]
})

const endpointChoices = ({ calls }: Visit) =>
  Effect.map(calls.list_merchant_webhooks({ limit: 100 }), ({ merchant_webhooks }) => ({
    endpointId: { choices: merchant_webhooks.map(({ id, url }) => ({ value: id, text: url })) }
  }))

type Delivery = Output<"list_webhook_deliveries">["webhook_deliveries"][number]

const deliveryColumns: Columns<Delivery> = {
  Delivery: ({ id }) => link(`/console/deliveries/${id}`, id, true),
  Status: ({ status }) => state(status),
  Event: ({ eventType }) => eventType,
  Endpoint: ({ endpointId, url }) => link(`/console/webhooks/${endpointId}`, url),
  Attempts: ({ attemptCount, maxAttempts }) => `${attemptCount} of ${maxAttempts}`,
  "Last response": ({ lastError, lastResponseStatus }) =>
    lastResponseStatus === null ? lastError : String(lastResponseStatus),
  Next: ({ nextAttemptAt }) => time(nextAttemptAt),
  Created: ({ createdAt }) => time(createdAt)
}

const deliveries = list({
  operation: "list_webhook_deliveries",
  key: "webhook_deliveries",
  at: "/console/deliveries",
  section: "webhooks",
  title: "Webhook deliveries",
  none: "No deliveries.",
  beginning: {
    text: "Each event sent to an endpoint stands here with its attempts and answers.",
    first: { href: "/console/webhooks", text: "Set up an endpoint" }
  },
  idOf: ({ id }) => id,
  known: nothing,
  choices: endpointChoices,
  columns: deliveryColumns
})

const events = list({
  operation: "list_events",
  key: "events",
  at: "/console/events",
  section: "webhooks",
  title: "Events",
  none: "No events.",
  beginning: {
    text: "What happens to payments stands here as events, whether or not an endpoint is told.",
    first: { href: "/console/payments", text: "See payment requests" }
  },
  idOf: ({ id }) => id,
  known: nothing,
  columns: {
    Event: ({ id }) => link(`/console/events/${id}`, id, true),
    Type: ({ type }) => type,
    "Payment request": ({ paymentRequestPid: pid }) =>
      pid === null ? null : link(`/console/payments/${pid}`, pid, true),
    Version: ({ version }) => (version === null ? null : String(version)),
    Deliveries: ({ id }) => link(`/console/deliveries?eventId=${id}`, "Deliveries"),
    Created: ({ createdAt }) => time(createdAt)
  }
})

const endpoint = thing(
  "/console/webhooks/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const shown = yield* calls.get_merchant_webhook({ id })
    const { webhook_deliveries } = yield* calls.list_webhook_deliveries({
      endpointId: id,
      limit: 10
    })
    const isOn = shown.status !== "disabled"
    return {
      section: "webhooks",
      title: shown.url,
      state: state(shown.status),
      facts: [
        ...fact("Events", shown.events.join(", ")),
        ...fact("Notices", shown.notices.join(", ")),
        ...fact("Description", shown.description),
        ...fact("Maximum attempts", String(shown.maxAttempts)),
        ...fact("Failing since", shown.failingSince, { isTime: true, tone: "bad" }),
        ...fact("Disabled", shown.disabledAt, { isTime: true }),
        ...fact("Previous secret ends", shown.previousSecretEndsAt, { isTime: true }),
        ...fact("Created", shown.createdAt, { isTime: true }),
        ...fact("Endpoint id", shown.id, { code: true })
      ],
      links: [
        { href: `/console/new/update_merchant_webhook?id=${id}`, text: "Change" },
        { href: `/console/new/rotate_merchant_webhook_secret?id=${id}`, text: "Rotate the secret" },
        { href: `/console/new/recover_merchant_webhook?id=${id}`, text: "Recover missed events" },
        { href: `/console/deliveries?endpointId=${id}`, text: "All deliveries" }
      ],
      acts: [
        { text: "Send a test", operation: "send_merchant_webhook_test", input: { id } },
        isOn
          ? {
              text: "Disable",
              operation: "disable_merchant_webhook",
              input: { id },
              sure: "Disable this endpoint? Events are kept and can be recovered."
            }
          : { text: "Enable", operation: "enable_merchant_webhook", input: { id } },
        {
          text: "Delete",
          operation: "delete_merchant_webhook",
          input: { id },
          next: "/console/webhooks",
          sure: "Delete this endpoint? Its secret is gone for good."
        }
      ],
      parts: [
        tableOf(
          "Newest deliveries",
          "No deliveries.",
          deliveryColumns,
          webhook_deliveries,
          (each) => each.id
        )
      ]
    }
  })
)

const attemptColumns: Columns<Output<"get_webhook_delivery">["attempts"][number]> = {
  Attempt: ({ n }) => String(n),
  At: ({ at }) => time(at),
  Trigger: ({ trigger }) => trigger,
  Response: ({ error, responseStatus }) =>
    responseStatus === null ? error : String(responseStatus),
  Took: ({ durationMs }) => `${durationMs} ms`,
  "Response body": ({ responseBodyTruncated }) => code(responseBodyTruncated)
}

/** Indented for people; the bytes that were sent are the operation's own. */
const indented = (body: unknown): string => JSON.stringify(body, null, 2)

/** What the page of a delivery was written from. */
const writtenOf = ({
  attemptCount,
  status
}: Pick<Delivery, "attemptCount" | "status">): Written => ({
  facts: [status, attemptCount],
  isOver: status !== "pending" && status !== "retrying"
})

export const deliveryWritten = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_webhook_delivery({ id }), writtenOf)

const delivery = thing(
  "/console/deliveries/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const shown = yield* calls.get_webhook_delivery({ id })
    return {
      section: "webhooks",
      title: `Delivery of ${shown.eventType}`,
      live: followedFrom(writtenOf(shown)),
      state: state(shown.status),
      facts: [
        ...fact("Endpoint", shown.url, { href: `/console/webhooks/${shown.endpointId}` }),
        ...fact("Event", shown.eventId, {
          code: true,
          href: isNotice(shown.eventType)
            ? `/console/deliveries?eventId=${shown.eventId}`
            : `/console/events/${shown.eventId}`
        }),
        ...fact("Attempts", `${shown.attemptCount} of ${shown.maxAttempts}`),
        ...fact("Last error", shown.lastError, { tone: "bad" }),
        ...fact("Next attempt", shown.nextAttemptAt, { isTime: true }),
        ...fact("Delivered", shown.deliveredAt, { isTime: true }),
        ...fact("Replay of", shown.replayOf, {
          code: true,
          href: `/console/deliveries/${shown.replayOf}`
        }),
        ...fact("Created", shown.createdAt, { isTime: true })
      ],
      acts: [
        {
          text: "Replay",
          operation: "replay_webhook_delivery",
          input: { id },
          next: "/console/deliveries/{id}"
        }
      ],
      parts: [
        tableOf("Attempts", "Not attempted yet.", attemptColumns, shown.attempts, ({ n }) =>
          String(n)
        ),
        { title: "Body", text: indented(JSON.parse(shown.body)) }
      ]
    }
  })
)

const event = thing(
  "/console/events/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const shown = yield* calls.get_event({ eventId: id })
    const { webhook_deliveries } = yield* calls.list_webhook_deliveries({ eventId: id, limit: 10 })
    const pid = shown.paymentRequestPid
    return {
      section: "webhooks",
      title: `Event ${shown.type}`,
      facts: [
        ...fact("Payment request", pid, { code: true, href: `/console/payments/${pid}` }),
        ...fact("Version", shown.version === null ? null : String(shown.version)),
        ...fact("Created", shown.createdAt, { isTime: true }),
        ...fact("Event id", shown.id, { code: true, isCopied: true })
      ],
      links: [{ href: `/console/deliveries?eventId=${id}`, text: "All deliveries" }],
      parts: [
        tableOf(
          "Newest deliveries",
          "No endpoint was sent this event.",
          deliveryColumns,
          webhook_deliveries,
          (each) => each.id
        ),
        { title: "Body", text: indented(shown.envelope) }
      ]
    }
  })
)

export const webhookPages = [endpoints, deliveries, events, endpoint, delivery, event] as const
