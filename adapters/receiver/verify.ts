/**
 * Verifies a webhook on the merchant's side; it depends on nothing but Node. An event is given back only
 * when its exact bytes were signed with the endpoint's secret, less than five minutes ago.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { claimOf, type Delivery, eventOf } from "./delivery.ts"
import type { WebhookEvent } from "./event.ts"

/** The types of events. */
export type * from "./event.ts"

/**
 * The event of a delivery, or a `WebhookVerificationError`. A type that is not known to this version is
 * given back too: let a `switch` on `event.type` have a default.
 */
export const verifyWebhook = (delivery: Delivery): WebhookEvent => {
  const { prefix, secret, signatures } = claimOf(delivery)
  const expected = createHmac("sha256", secret).update(prefix).update(delivery.body).digest()
  // Every signature is compared, so that the time taken does not tell which one was near.
  const matching = signatures.filter((signature) => timingSafeEqual(signature, expected))
  return eventOf(delivery, matching.length > 0)
}
