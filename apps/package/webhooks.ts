/**
 * Verifies a webhook on the merchant's side; it depends on nothing but Node. An event is given back only
 * when its exact bytes were signed with the endpoint's secret, less than five minutes ago.
 *
 * @example
 * import { verifyWebhook } from "bursar/webhooks"
 * export const receive = async (request: Request, secret: string) => {
 *   const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 *   return event.type === "payment_request.paid" ? event.data.object.externalReference : null
 * }
 */

/** A webhook as it was received, and why one is refused. */
export {
  type Delivery,
  type VerificationFailure,
  type WebhookHeaders,
  WebhookVerificationError
} from "../../adapters/receiver/delivery.ts"
/** The types of events. */
export type * from "../../adapters/receiver/event.ts"
/** Gives back the event of a genuine delivery. */
export { verifyWebhook } from "../../adapters/receiver/verify.ts"
