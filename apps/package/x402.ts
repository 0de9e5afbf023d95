/**
 * `bursar/x402`: payment links and plans that programs pay with a signature, by the x402 protocol (version 2).
 *
 * @example
 * import { Pages, RecentReads, serve } from "bursar/http"
 * import { besidePages, payByPost, plansRoutes } from "bursar/x402"
 * import { Layer } from "effect"
 * const pages = Pages.pages().pipe(Layer.provide(besidePages()))
 * export const server = serve(Layer.mergeAll(pages, payByPost(), plansRoutes())).pipe(
 *   Layer.provide(RecentReads.layer)
 * )
 */

/**
 * `GET /pay/:pid` for programs; provide it to the pages, which keep the link for browsers. A program is answered
 * 402 with the amount that is still open, in millionths of a USDC, and 200 once its signature has paid it.
 */
/** `POST /pay/:pid`, for programs that pay with the method of the call they wanted to make. */
export { besidePages, payByPost } from "../../adapters/x402/pay-route.ts"
/**
 * `POST /api/agents` sells an agent its account, and `POST /api/agents/renew` a further term of its plan. Both
 * are answered with PLANS_NOT_SOLD until the operator names a wallet that plans are paid to.
 */
export { plansRoutes } from "../../adapters/x402/plans-route.ts"
