/**
 * One webhook delivery with everything about it fixed: the treasury's own code writes the event, signs it
 * and hands it to a webhook sender that keeps it. The manual shows what came out, so it can show nothing else.
 */
import { createHmac } from "node:crypto"
import { Clock, DateTime, Effect, Layer } from "effect"
import { Audit } from "../../core/audit/audit-store.ts"
import { Notices } from "../../core/notices/notice-store.ts"
import * as Announce from "../../core/payments/announce.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Notifier } from "../../core/ports/notifier.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { Tasks } from "../../core/ports/tasks.ts"
import { type WebhookRequest, WebhookSender } from "../../core/ports/webhook-sender.ts"
import { Identity } from "../../core/timeline/identity.ts"
import * as Settings from "../../core/treasury/settings.ts"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import { attempt } from "../../core/webhooks/dispatch.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import type { Event } from "../../core/webhooks/event.ts"
import { paidRequest } from "./example-request.ts"

/** 32 bytes, 0 to 31; a real secret is random. */
export const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString("base64")}`

export const signedAt = DateTime.makeUnsafe("2026-11-21T09:32:05Z")

const millis = DateTime.toEpochMillis(signedAt)
const nanos = BigInt(millis) * 1_000_000n

const stopped: Clock.Clock = {
  currentTimeMillisUnsafe: () => millis,
  currentTimeMillis: Effect.succeed(millis),
  currentTimeNanosUnsafe: () => nanos,
  currentTimeNanos: Effect.succeed(nanos),
  monotonicTimeNanosUnsafe: () => nanos,
  monotonicTimeNanos: Effect.succeed(nanos),
  sleep: () => Effect.never
}

const endpoint: Endpoint = {
  id: "0198c7a0-8f10-7d21-b6e4-3a5b7c9d1e2f",
  accountId: paidRequest.accountId,
  url: "https://shop.example.com/webhooks",
  events: ["payment_request.paid"],
  notices: [],
  description: null,
  maxAttempts: 10,
  standardHeaders: false,
  sealedSecret: "",
  previousSecret: null,
  disabledAt: null,
  failingSince: null,
  registeredBy: null,
  createdAt: signedAt,
  updatedAt: signedAt
}

/** What the event is known by; its id is the end of it in base 62. */
const identity = "000000000000000000000000000008d1e645eacf3a7f5d3f12776f1e9375ec86"

interface Kept {
  event: Event | undefined
  delivery: Delivery | undefined
  webhookRequest: WebhookRequest | undefined
}

/** What a delivery asks of the world, answered from above; anything else it asked would be a defect. */
const surroundings = (kept: Kept) =>
  Layer.mergeAll(
    Settings.layer({ siteUrl: "https://pay.example.com", livemode: true, ...Settings.defaults }),
    Layer.mock(Identity, { derive: () => identity }),
    Layer.mock(Ids, {
      uuid: Effect.succeed("0198c7a0-9a3c-7b44-8d15-6e7f8a9b0c1d"),
      fraction: Effect.succeed(0.5)
    }),
    Layer.mock(Events, {
      nextVersions: () => Effect.succeed([2]),
      append: (events) =>
        Effect.sync(() => {
          kept.event = events[0]
          return new Set(events.map(({ id }) => id))
        })
    }),
    Layer.mock(WebhookEndpoints, { subscribed: () => Effect.succeed([endpoint]) }),
    Layer.mock(Deliveries, {
      enqueue: ([delivery]) =>
        Effect.sync(() => {
          kept.delivery = delivery
        }),
      conclude: () => Effect.succeed(true)
    }),
    Layer.mock(Audit, {}),
    Layer.mock(Atomically, { afterCommit: () => Effect.void }),
    Layer.mock(Notifier, { signal: () => Effect.void }),
    Layer.mock(Notices, {}),
    Layer.mock(Tasks, {}),
    Layer.mock(WebhookSender, {
      violation: () => undefined,
      normalized: (url) => url,
      carry: (webhookRequest) =>
        Effect.sync(() => {
          kept.webhookRequest = webhookRequest
          return {
            _tag: "answered",
            status: 200,
            body: "",
            truncated: false,
            retryAfterMs: null,
            durationMs: 0
          }
        })
    }),
    Layer.mock(Chains, { connected: [] }),
    Layer.mock(Secrets, {
      digest: (text) => text,
      sha256: (text) => text,
      hash: () => new Uint8Array(32),
      open: () => Effect.succeed(secret),
      sign: (key, text) => createHmac("sha256", key).update(text).digest("hex")
    })
  )

const deliver = (kept: Kept) =>
  Effect.gen(function* () {
    yield* Announce.paid(paidRequest)
    if (kept.event === undefined || kept.delivery === undefined) return
    const claimed = {
      delivery: { ...kept.delivery, sequence: 7 },
      body: kept.event.body,
      sealedSecrets: [""],
      standardHeaders: false,
      isAiling: false,
      isFailing: false,
      lease: ""
    }
    yield* attempt(
      claimed,
      { isAiling: false, isFailing: false, secrets: new Map() },
      {
        answered: () => undefined,
        releases: () => false,
        written: () => undefined
      }
    )
  }).pipe(Effect.provide(surroundings(kept)), Effect.provideService(Clock.Clock, stopped))

/** The POST as it leaves the treasury for `payment_request.paid`. */
export const exampleDelivery = async (): Promise<WebhookRequest> => {
  const kept: Kept = { event: undefined, delivery: undefined, webhookRequest: undefined }
  await Effect.runPromise(deliver(kept))
  if (kept.webhookRequest === undefined) throw new Error("The example delivery was not carried.")
  return kept.webhookRequest
}
