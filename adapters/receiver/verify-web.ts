/**
 * The same verifier on Web Crypto, for places without Node: workers at the edge, Deno, Bun. It depends on nothing,
 * and answers later because Web Crypto does.
 */
import { claimOf, type Delivery, eventOf } from "./delivery.ts"
import type { WebhookEvent } from "./event.ts"

const encoder = new TextEncoder()

const signed = (prefix: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const [first, second] = [
    encoder.encode(prefix),
    typeof body === "string" ? encoder.encode(body) : body
  ]
  const whole = new Uint8Array(first.length + second.length)
  whole.set(first)
  whole.set(second, first.length)
  return whole
}

/**
 * The event of a delivery; rejects with a `WebhookVerificationError`. A type that is not known to this version is
 * given back too: let a `switch` on `event.type` have a default.
 */
export const verifyWebhook = async (delivery: Delivery): Promise<WebhookEvent> => {
  const { prefix, secret, signatures } = claimOf(delivery)
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "verify"
  ])
  const bytes = signed(prefix, delivery.body)
  // Web Crypto compares in constant time, and every signature is compared.
  const matches = await Promise.all(
    signatures.map((signature) => crypto.subtle.verify(algorithm, key, signature, bytes))
  )
  return eventOf(delivery, matches.includes(true))
}
