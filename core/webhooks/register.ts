/** Registers a webhook endpoint, whose secret is shown once and kept sealed, and changes one. */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InsufficientScope, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { WebhookSender } from "../ports/webhook-sender.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { holdEndpoint } from "./find.ts"
import { mayRegister, mayUpdate } from "./notices.ts"
import { newSecret } from "./secret.ts"

/** Enough for every environment of a merchant, few enough that one event is not a flood. */
const maxEndpoints = 50

/** The URL as it is kept. One events may not go to is refused; the webhook sender judges again at every attempt. */
const checkedUrl = Effect.fnUntraced(function* (url: string) {
  const { normalized, violation } = yield* WebhookSender
  const why = violation(url) ?? violation(normalized(url))
  if (why === undefined) return normalized(url)
  return yield* new Endpoint.WebhookUrlNotAllowed({
    param: "url",
    message: `This webhook URL is not allowed: ${why}.`
  })
})

/** What is registered of what a caller leaves out (spec, Webhook management). */
const usual = {
  events: ["payment_request.paid"],
  notices: [],
  maxAttempts: 10,
  standardHeaders: false
} satisfies Pick<Endpoint.Endpoint, "events" | "notices" | "maxAttempts" | "standardHeaders">

/** An endpoint that nothing is sent to is a mistake. */
const requireWanted = ({ events, notices }: Pick<Endpoint.Endpoint, "events" | "notices">) =>
  events.length + notices.length > 0
    ? Effect.void
    : Effect.fail(
        new InvalidRequest({
          param: "events",
          message: "An endpoint needs at least one event or notice; disable it to send nothing."
        })
      )

export const createMerchantWebhook = Operation.make("create_merchant_webhook", {
  summary: "Registers a URL for signed payment events and returns its signing secret once.",
  next: "Store the secret, then call send_merchant_webhook_test.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: mayRegister,
  input: {
    url: Endpoint.termFields.url,
    events: Schema.optionalKey(Endpoint.termFields.events.annotate({ default: usual.events })),
    notices: Schema.optionalKey(Endpoint.termFields.notices.annotate({ default: usual.notices })),
    description: Schema.optionalKey(Endpoint.termFields.description),
    maxAttempts: Schema.optionalKey(
      Endpoint.termFields.maxAttempts.annotate({ default: usual.maxAttempts })
    ),
    standardHeaders: Schema.optionalKey(
      Endpoint.termFields.standardHeaders.annotate({ default: usual.standardHeaders })
    )
  },
  output: {
    ...Endpoint.fields,
    secret: Schema.optionalKey(Schema.String),
    secretAvailable: Schema.Boolean
  },
  refusals: [Endpoint.WebhookUrlNotAllowed, InsufficientScope],
  secrets: ["secret"],
  example: {
    input: { url: "https://shop.example.com/webhooks", events: ["payment_request.paid"] }
  },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId, keyId } = yield* Caller
    const endpoints = yield* WebhookEndpoints
    const url = yield* checkedUrl(input.url)
    if ((yield* endpoints.count(accountId)) >= maxEndpoints) {
      return yield* new InvalidRequest({
        message: `An account can have at most ${maxEndpoints} webhook endpoints; delete one first.`,
        next: { operation: "list_merchant_webhooks", args: {} }
      })
    }
    yield* requireWanted({ ...usual, ...input })
    const id = yield* (yield* Ids).uuid
    const secret = yield* newSecret
    const now = yield* DateTime.now
    const endpoint: Endpoint.Endpoint = {
      id,
      accountId,
      registeredBy: keyId,
      url,
      events: input.events ?? usual.events,
      notices: input.notices ?? usual.notices,
      description: input.description ?? null,
      maxAttempts: input.maxAttempts ?? usual.maxAttempts,
      standardHeaders: input.standardHeaders ?? usual.standardHeaders,
      sealedSecret: yield* (yield* Secrets).seal(Endpoint.secretPlace({ id, accountId }), secret),
      previousSecret: null,
      disabledAt: null,
      failingSince: null,
      createdAt: now,
      updatedAt: now
    }
    yield* endpoints.register(endpoint)
    yield* record({
      accountId,
      actor: keyId,
      action: "merchant_webhook.created",
      subjectType: "merchant_webhook",
      subjectId: id,
      facts: { url }
    })
    return { ...Endpoint.viewOf(endpoint, now), secret, secretAvailable: true }
  })
})

/**
 * Changes an endpoint's URL, events, notices, description, attempts or headers; deliveries under way keep the URL
 * and the attempts they were made with.
 */
export const updateMerchantWebhook = Operation.make("update_merchant_webhook", {
  summary: "Changes a webhook endpoint; omitted fields keep their values.",
  next: "send_merchant_webhook_test sends a test event to the new URL.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: mayUpdate,
  input: {
    id: Endpoint.EndpointId,
    url: Schema.optionalKey(Endpoint.termFields.url),
    events: Schema.optionalKey(Endpoint.termFields.events),
    notices: Schema.optionalKey(Endpoint.termFields.notices),
    description: Schema.optionalKey(Endpoint.termFields.description),
    maxAttempts: Schema.optionalKey(Endpoint.termFields.maxAttempts),
    standardHeaders: Schema.optionalKey(Endpoint.termFields.standardHeaders)
  },
  output: Endpoint.fields,
  refusals: [NotFound, Endpoint.WebhookUrlNotAllowed, InsufficientScope],
  handle: Effect.fnUntraced(function* ({ id, ...changes }) {
    const endpoint = yield* holdEndpoint(id)
    const url = changes.url === undefined ? endpoint.url : yield* checkedUrl(changes.url)
    const now = yield* DateTime.now
    const updated: Endpoint.Endpoint = { ...endpoint, ...changes, url, updatedAt: now }
    yield* requireWanted(updated)
    yield* (yield* WebhookEndpoints).revise(updated)
    yield* record({
      accountId: endpoint.accountId,
      actor: (yield* Caller).keyId,
      action: "merchant_webhook.updated",
      subjectType: "merchant_webhook",
      subjectId: id,
      facts: { changed: Object.keys(changes).sort().join(",") }
    })
    return Endpoint.viewOf(updated, now)
  })
})
