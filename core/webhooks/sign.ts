/**
 * The headers of one attempt. Our signature header is exactly `v1=<hex>`, with a second one after it only
 * while a merchant's rotation asks for both; the timestamp, and so the signature, is fresh on each attempt.
 */
import type { Secrets } from "../ports/secrets.ts"
import type { Delivery } from "./delivery.ts"
import { hexToBase64, standardKey } from "./secret.ts"

export interface WebhookMessage {
  readonly delivery: Delivery
  readonly body: string
  /** The secret in force, then the one before it while its grace lasts. */
  readonly secrets: ReadonlyArray<string>
  readonly standardHeaders: boolean
}

type Sign = Secrets["Service"]["sign"]

/** The HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, as standardwebhooks.com has it. */
const standardHeaders = (
  sign: Sign,
  { body, delivery, secrets }: WebhookMessage,
  timestamp: number
): Readonly<Record<string, string>> => {
  const text = `${delivery.eventId}.${timestamp}.${body}`
  const signatures = secrets.map((secret) => `v1,${hexToBase64(sign(standardKey(secret), text))}`)
  return {
    "webhook-id": delivery.eventId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" ")
  }
}

export const headersOf = (
  sign: Sign,
  message: WebhookMessage,
  timestamp: number
): Readonly<Record<string, string>> => {
  const { body, delivery, secrets } = message
  const signed = `${timestamp}.${body}`
  return {
    "content-type": "application/json",
    "user-agent": "Bursar-Webhooks/1",
    "svc-webhook-id": delivery.eventId,
    "svc-webhook-timestamp": String(timestamp),
    "svc-webhook-event": delivery.eventType,
    "svc-webhook-signature": secrets.map((secret) => `v1=${sign(secret, signed)}`).join(","),
    ...(delivery.sequence === null ? {} : { "svc-webhook-sequence": String(delivery.sequence) }),
    ...(message.standardHeaders ? standardHeaders(sign, message, timestamp) : {})
  }
}
