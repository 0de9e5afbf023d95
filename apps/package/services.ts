/**
 * `bursar/services`: what a serving treasury uses outside: webhooks' receivers, mail, prices, Redis, passkeys.
 *
 * @example
 * import { WebhookSender } from "bursar/services"
 * export const sender = WebhookSender.layer({ mode: "public" })
 */

/** Email through an SMTP server, or as files in a directory. */
export * as Mail from "../../adapters/mail/transport.ts"
/** Verification of passkeys. */
export * as Passkeys from "../../adapters/passkeys/passkeys.ts"
/** Tokens as Zerion, CoinGecko and Jupiter rank them, as far as there are keys for them. */
export * as TokenCatalogues from "../../adapters/providers/catalogues.ts"
/** Prices in USD from an API like DefiLlama's, with their age; a token it does not know has no price. */
export * as Defillama from "../../adapters/providers/defillama.ts"
/** What lending markets pay, from an API like DefiLlama's list of pools. */
export * as DefillamaYields from "../../adapters/providers/defillama-yields.ts"
/** Rate limits that replicas share; each process counts by itself while Redis is down. */
export * as SharedRateLimits from "../../adapters/redis/rate-limits.ts"
/** Reads a merchant's logo from a URL, under the rules of the webhook sender. */
export * as Pictures from "../../adapters/webhook-sender/pictures.ts"
/** One HTTP request to a merchant's URL; it resolves the name itself and refuses private addresses. */
export * as WebhookSender from "../../adapters/webhook-sender/webhook-sender.ts"
