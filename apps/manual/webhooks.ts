/** The webhooks page: what is sent and when, how to verify it, and how often it is tried. */
import { DateTime, type Schema } from "effect"
import { NoticeType } from "../../core/notices/notice.ts"
import { objectOf } from "../../core/payments/announce.ts"
import { waitsMs } from "../../core/webhooks/delivery.ts"
import { EventType, type EventType as Type } from "../../core/webhooks/endpoint.ts"
import { apiVersion } from "../../core/webhooks/event.ts"
import { exampleDelivery, secret, signedAt } from "./example-delivery.ts"
import { expiredRequest, openRequest, paidRequest } from "./example-request.ts"
import { code, fence, generated, json, page, table } from "./markdown.ts"

const emittedWhen: Readonly<Record<Type, string>> = {
  "payment_request.created": "A checkout session was opened; adds `checkoutUrl`.",
  "payment_request.paid": "The full amount is final on chain. This is the point to provision.",
  "payment_request.payment_failed":
    "A payment was rejected; adds `failure` with `reason` and `method`. A transfer that came too late (`expired`, `cancelled`) or was a second payment (`already_paid`, at most five times per request) is listed as a deposit; of one below `BURSAR_DUST_USDC` (0.01 USDC) there is no event. A rejected x402 signature moved nothing. The request is unchanged.",
  "payment_request.expired": "The request expired with no payment pending.",
  "webhook.test":
    "A test was requested; `data.object` is `{ message, endpointId }`. It is sent to that endpoint, whatever its subscribed events."
}

const givenWhen: Readonly<Record<NoticeType, string>> = {
  approval_requested:
    "A proposal, a vote or a change waits for somebody's passkey. `subject` is its id.",
  deposit_needs_review:
    "Money of at least `BURSAR_DUST_USDC` (0.01 USDC) came in that counts for no payment request. `subject` is its id.",
  send_failed: "A proposal failed after it was confirmed. `subject` is its id.",
  trade_stuck: "A step of a trade takes far longer than it should.",
  bridge_refused:
    "Something was refused while a bridge was under way: an answer that contradicts the chain, a call that the destination does not take, or an order that is another one, was taken back by somebody else, that somebody else tried to take back, or that brought less than was signed for. `subject` is the proposal's id and the code.",
  endpoint_failing: "A webhook endpoint became `failing`.",
  relayer_low:
    "Payments on a chain wait because the relayer cannot pay network fees; once a day and chain.",
  token_changed:
    "Another contract stands behind the USDC of a chain, and no wallet signs there until the operator accepts it."
}

const headers: Readonly<Record<string, string>> = {
  "svc-webhook-id": "The event's id, the same on every attempt and replay. Drop duplicates by it.",
  "svc-webhook-timestamp": "Time of this attempt in Unix seconds.",
  "svc-webhook-event": "The event's type.",
  "svc-webhook-signature":
    "`v1=<hex>`. After a rotation with a grace period there may be two, comma-separated: accept either.",
  "svc-webhook-sequence":
    "The delivery's number at this endpoint, from 1 without a gap, but for one of a million or more after the database was replaced; the same on every attempt. It is not signed: use it only to find missing deliveries."
}

const meanings: Readonly<Record<string, readonly [type: string, meaning: string]>> = {
  paymentRequestPid: ["string", "The request's public id, `pr_…`."],
  status: ["string", "Its status when the event was written."],
  amountUsd: ["string", "The requested amount as a decimal. Use this one for billing."],
  amountSmallestUnit: ["string", "The same amount in smallest units."],
  assetSymbol: ["string", "`USDC`."],
  tokenDecimals: ["integer", "`6`."],
  chainId: ["string", "The chain to pay on."],
  payToAddress: ["string", "The vault's address."],
  vaultId: ["string", "The vault, as `walletMappingId` elsewhere."],
  customer: ["object or null", "`externalId` and `namespace`, for checkout sessions."],
  checkoutSessionId: [
    "string or null",
    "`cs_…`, for checkout sessions. A second key to drop duplicates by."
  ],
  product: [
    "object or null",
    "`slug`, `name` and `externalSkuId`, as sent when the session was opened."
  ],
  externalReference: ["string or null", "Your own reference."],
  metadata: ["object", "Your own data, and for checkout sessions the customer."],
  expiresAt: ["string", "ISO 8601, UTC."],
  requestCreatedAt: ["string", "ISO 8601, UTC."],
  paidAt: ["string or null", "ISO 8601, UTC; once paid."],
  txHash: ["string or null", "The transaction that paid it, or its newest transaction."],
  method: ["string or null", "`direct`, `checkout` or `x402`."],
  payer: ["object or null", "`address` and `method`."],
  settlement: ["object or null", "`txHash`, `settledAt` and `method`; once paid."]
}

/** The manual must tell of exactly what there is. */
const checked = (
  what: string,
  there: ReadonlyArray<string>,
  told: Readonly<Record<string, unknown>>
): ReadonlyArray<string> => {
  const odd = [
    ...there.filter((name) => !(name in told)),
    ...Object.keys(told).filter((name) => !there.includes(name))
  ]
  if (odd.length > 0) throw new Error(`The webhook page and ${what} differ in ${odd.join(", ")}.`)
  return there
}

const fieldTable = (): string => {
  const [open, paid, expired] = [openRequest, paidRequest, expiredRequest].map(objectOf)
  const shown = (object: Schema.JsonObject | undefined, field: string) =>
    object?.[field] === null ? "null" : "set"
  return table(
    ["Field", "Type", "Meaning", "created", "paid", "expired"],
    checked("data.object", Object.keys(objectOf(paidRequest)), meanings).map((field) => {
      const [type = "", meaning = ""] = meanings[field] ?? []
      return [
        code(field),
        type,
        meaning,
        shown(open, field),
        shown(paid, field),
        shown(expired, field)
      ]
    })
  )
}

const wait = (milliseconds: number): string => {
  const minutes = milliseconds / 60_000
  if (minutes < 1) return `${milliseconds / 1000} s`
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`
}

const schedule = (): string => {
  let sinceMs = 0
  const rows = waitsMs.map((waitMs, index) => {
    sinceMs += waitMs
    return [String(index + 2), wait(waitMs), `${(sinceMs / 3_600_000).toFixed(2)} h`]
  })
  return table(
    ["Attempt", "After the one before", "Since the first"],
    [["1", "at once", "0 h"], ...rows]
  )
}

const verifier = `import { createHmac, timingSafeEqual } from "node:crypto"

export const isGenuine = (secret, headers, rawBody, nowSeconds = Date.now() / 1000) => {
  const timestamp = headers["svc-webhook-timestamp"]
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= 300)) return false
  const expected = createHmac("sha256", secret).update(\`\${timestamp}.\${rawBody}\`).digest()
  return headers["svc-webhook-signature"].split(",").some((part) => {
    const given = Buffer.from(part.trim().replace(/^v1=/, ""), "hex")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}`

const signature = (timestamp: string, body: string, header: string): ReadonlyArray<string> => [
  "## Verify",
  "The signature is hex HMAC-SHA256 over `<timestamp>.<raw body>`. The key is the whole secret as UTF-8 text, `whsec_` included. Use the raw body, before any parser; reject a timestamp more than 300 seconds from now; compare in constant time. Without a library:",
  fence("js", verifier),
  "### A worked example",
  `With the secret \`${secret}\` and the timestamp \`${timestamp}\` (${DateTime.formatIso(signedAt)}), the body`,
  fence("json", body),
  "has the signature",
  fence("text", header),
  "Check your own verifier against it, with the clock set to that time."
]

const looking: ReadonlyArray<string> = [
  "## Managing an endpoint",
  [
    "- An endpoint becomes `failing` when five attempts in a row fail over a minute or more, and `active` again with the next success. A failing endpoint receives one delivery at a time instead of four; waiting deliveries lose no attempts.",
    "- [`disable_merchant_webhook`](reference.md#disable_merchant_webhook) skips waiting and new deliveries; [`enable_merchant_webhook`](reference.md#enable_merchant_webhook) resumes them.",
    "- [`recover_merchant_webhook`](reference.md#recover_merchant_webhook) resends failed and skipped deliveries of a period of time, each event once, and nothing that has arrived or is pending; a hundred a call, until `hasMore` is false.",
    "- A gap in `svc-webhook-sequence` is a delivery that was attempted and has not arrived; find it with [`list_webhook_deliveries`](reference.md#list_webhook_deliveries), `endpointId` and `sequence`. A gap of a million or more is none: the database was replaced. Numbers follow the order of first attempts; skipped deliveries have none.",
    "- [`rotate_merchant_webhook_secret`](reference.md#rotate_merchant_webhook_secret) returns a new secret once. With `gracePeriodSeconds`, at most 7 days, deliveries have `v1=<new>,v1=<old>` for that long; without it, the old secret stops signing at once.",
    "- The audit log records its changes: `merchant_webhook.failing`, `.healthy`, `.disabled`, `.enabled`, `.secret_rotated`, `.recovered`."
  ].join("\n"),
  "### Standard Webhooks",
  "With `standardHeaders` an endpoint also receives `webhook-id`, `webhook-timestamp` and `webhook-signature`, which any library of [Standard Webhooks](https://www.standardwebhooks.com) verifies with the same secret. The keys differ: our signature uses the whole `whsec_…` text as the key, Standard Webhooks the 32 bytes that the text after the prefix encodes in base64."
]

export const webhooks = async (): Promise<string> => {
  const { url, headers: sent, body } = await exampleDelivery()
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  return page([
    generated("`core/webhooks/` and `core/payments/announce.ts`"),
    "# Webhooks",
    "Register a public https:// URL with [`create_merchant_webhook`](reference.md#create_merchant_webhook); it returns the endpoint's signing secret once. Test it with [`send_merchant_webhook_test`](reference.md#send_merchant_webhook_test). [`list_webhook_deliveries`](reference.md#list_webhook_deliveries) lists deliveries and their results.",
    "## Events",
    table(
      ["Type", "Sent when"],
      EventType.literals.map((type) => [code(type), emittedWhen[type]])
    ),
    "Without `events`, an endpoint receives only `payment_request.paid`.",
    "### Notices",
    "A notice tells whoever runs the account what to look at. Notices are off until `notices` of [`create_merchant_webhook`](reference.md#create_merchant_webhook) or [`update_merchant_webhook`](reference.md#update_merchant_webhook) names their types. They tell of the whole account, so naming them, changing the URL of an endpoint that has some, and reading the body of one need a key with the scope `account:read` besides.",
    table(
      ["Type", "Sent when"],
      NoticeType.literals.map((type) => [code(type), givenWhen[type]])
    ),
    'They are signed, delivered, repeated and replayed as events are. The envelope has `object: "notice"` and an id `ntc_…`; `data.object` is `{ noticeId, subject, summary, url }`, where `url` leads to the thing in the console. An account gets one notice of a type about a subject. No notice is in [`list_events`](reference.md#list_events), and none has a `data.version`.',
    "## The request",
    fence(
      "http",
      [`POST ${new URL(url).pathname} HTTP/1.1`, `host: ${new URL(url).host}`, ...lines].join("\n")
    ),
    table(
      ["Header", "Meaning"],
      checked(
        "the headers",
        Object.keys(sent).filter((name) => name.startsWith("svc-")),
        headers
      ).map((name) => [code(name), headers[name] ?? ""])
    ),
    json(JSON.parse(body)),
    "`data.version` numbers the events of one payment request from 1, in the order they happened, whatever the endpoint subscribed to; after the database was replaced, above a gap. Ignore an event with a lower version than the highest you have processed. A test has none.",
    `\`created\` is in unix seconds, \`livemode\` is false in the sandbox, and \`api_version\` is \`${apiVersion}\` until a version is added beside it. The body is fixed when the event is written: every attempt and every replay sends the same bytes.`,
    "### data.object",
    "Every `payment_request.*` event has every field; a field without a value is null. The last columns show a checkout session when it is opened, when it is paid in full, and when it expires with nothing received. Fields of your own data are null if you did not send them.",
    fieldTable(),
    ...signature(sent["svc-webhook-timestamp"] ?? "", body, sent["svc-webhook-signature"] ?? ""),
    "## Delivery",
    "Delivery is at least once: the same event may arrive twice, and events may arrive in another order than they happened. Any 2xx status within 10 seconds is success. Redirects are not followed. Anything else is tried again:",
    schedule(),
    [
      "- Every wait varies by ±20 %. A longer `Retry-After` is respected up to the next step of the schedule.",
      "- `maxAttempts` (1 to 10) ends the schedule sooner.",
      "- Status 410 ends that delivery at once, as `gone`.",
      "- A delivery without attempts left stays as `failed`, with every attempt and the exact body. [`replay_webhook_delivery`](reference.md#replay_webhook_delivery) sends it again as a new delivery of the same event.",
      "- At most four deliveries to one endpoint run at a time, so a slow endpoint delays only itself."
    ].join("\n"),
    ...looking
  ])
}
