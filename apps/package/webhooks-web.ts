/**
 * The same verifier on Web Crypto, for places without Node: workers at the edge, Deno, Bun. It depends on nothing,
 * and answers later because Web Crypto does.
 *
 * @example
 * import { verifyWebhook } from "bursar/webhooks/web"
 * export const receive = async (request: Request, secret: string) => {
 *   const body = new Uint8Array(await request.arrayBuffer())
 *   const event = await verifyWebhook({ body, headers: request.headers, secret })
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
export { verifyWebhook } from "../../adapters/receiver/verify-web.ts"
