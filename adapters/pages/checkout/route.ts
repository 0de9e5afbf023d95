/** Serves `/pay/:pid`, the page behind a payment link, and what its script asks for. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { publicRequest } from "../../../core/payments/public.ts"
import { takeClaim } from "./claims.ts"
import { eventStream } from "./events.ts"
import { checkoutPage, missingPage } from "./page.ts"

/** The request whose link was followed, or undefined. */
const asked = Effect.gen(function* () {
  const { pid } = yield* HttpRouter.params
  return yield* publicRequest(pid ?? "")
})

/** What a browser is answered with at `/pay/:pid`. */
export const payPage = Effect.flatMap(asked, (request) =>
  request === undefined ? missingPage : checkoutPage(request)
)

/** The call to hand to a wallet, for what is due at this moment. */
const call = Effect.map(asked, (request) =>
  request === undefined || request.call === null
    ? HttpServerResponse.empty({ status: 404 })
    : HttpServerResponse.jsonUnsafe(request.call)
)

export const payRoutes = (proxies: number) =>
  Layer.mergeAll(
    HttpRouter.add("GET", "/pay/:pid", payPage),
    HttpRouter.add("GET", "/pay/:pid/call", call),
    HttpRouter.add("GET", "/pay/:pid/events", eventStream(proxies)),
    HttpRouter.add("POST", "/pay/:pid/claims", takeClaim(proxies))
  )
