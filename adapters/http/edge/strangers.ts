/**
 * What a request without a key may ask of us: it counts against a rate limit of its client and is served in that
 * client's turn. Every address that no key opens is one of these, so a new page is bounded before it is written.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type ClientRateLimit, rateLimited } from "../../../core/operation/rate-limit.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import type { Facts } from "./visit.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Whoever watches over the service is answered whatever it goes through. */
const supervisory = /^\/(?:health\/|metrics(?:$|\?))/u
const planRoute = /^\/api\/agents(?:$|[?;#])/u

/** Addresses that a bearer key opens. */
const isKeyed = (url: string) => url.startsWith("/api/") && !planRoute.test(url)

/** What is kept ready: the manual and the files of pages. */
const constant = /^\/(?:docs(?:\/errors)?|openapi\.json|assets\/[^/]*)?(?:$|[?#])/u

/** The page behind a link, made once a second for all who look, and the stream that follows it. */
const page = /^\/pay\/[^/?#]+(?:$|[?#])/u
const stream = /^\/pay\/[^/?#]+\/events(?:$|[?#])/u

const isLink = ({ headers, url }: Request): boolean =>
  stream.test(url) ||
  (page.test(url) &&
    headers["payment-signature"] === undefined &&
    (headers.accept ?? "").includes("text/html"))

/** In which line a request without a key waits. */
const lineOf = (request: Request, visit: Facts): Facts["inTurn"] => {
  if (request.method !== "GET") return visit.inTurn
  if (constant.test(request.url)) return visit.inTurnOfManual
  return isLink(request) ? visit.inTurnOfLinks : visit.inTurn
}

export const kindOf = ({ url }: Request): "supervisor" | "key" | "stranger" =>
  supervisory.test(url) ? "supervisor" : isKeyed(url) ? "key" : "stranger"

const rateLimitOf = (url: string): ClientRateLimit => {
  if (url.startsWith("/pay/")) return "payment_links"
  if (url.startsWith("/console")) return "console"
  return url.startsWith("/api/") ? "plans" : "site"
}

const withinRateLimit = Effect.fnUntraced(function* (url: string, client: string) {
  const rateLimit = rateLimitOf(url)
  const allowance = yield* (yield* RateLimits).consumeClient(client, rateLimit)
  if (allowance.allowed) return
  return yield* rateLimited(
    rateLimit,
    allowance,
    "Too many requests without a key from this address."
  )
})

/** Serves a request as its kind may be served. */
export const served = <A, E, R>(request: Request, visit: Facts, app: Effect.Effect<A, E, R>) =>
  kindOf(request) === "stranger"
    ? lineOf(request, visit)(Effect.andThen(withinRateLimit(request.url, visit.client), app))
    : app

/** Before a refusal of a key leaves, its client waits its turn; a key in force never does. */
export const paced = <A, E, R>(request: Request, visit: Facts, answered: Effect.Effect<A, E, R>) =>
  kindOf(request) === "key"
    ? Effect.tap(answered, () =>
        visit.isKeyed() ? Effect.void : Effect.ignore(visit.inTurn(Effect.void))
      )
    : answered
