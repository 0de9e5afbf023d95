/**
 * What a request without a key may ask of us: it counts against a rate limit of its client and is served in that
 * client's turn. Every address that no key opens is one of these, so a new page is bounded before it is written.
 */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { type ClientRateLimit, rateLimited } from "../../../core/operation/rate-limit.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import type { RateLimited } from "../../../core/operation/refusal.ts"
import type { Overloaded } from "../refusals.ts"
import type { Asked, Entry } from "./entry.ts"
import type * as Turns from "./turns.ts"
import type { Facts } from "./visit.ts"

/** An address may be written whole, with a host before it. */
const pathOf = (url: string): string => {
  if (url.startsWith("/")) return url
  const whole = URL.parse(url)
  return whole === null ? url : whole.pathname + whole.search
}

export const askedBy = ({ headers, method = "GET", url = "/" }: IncomingMessage): Asked => ({
  // Only `set-cookie` comes as a list, and no request has it.
  headers: headers as Asked["headers"],
  method,
  url: pathOf(url)
})

/** Whoever watches over the service is answered whatever it goes through. */
const supervisory = /^\/(?:health\/|metrics(?:$|\?))/u
const planRoute = /^\/api\/agents(?:$|[?;#])/u

/** Addresses that a bearer key opens. */
const isKeyed = (url: string) =>
  url.startsWith("/api/") && !(url.startsWith("/api/agents") && planRoute.test(url))

/** What is kept ready: the manual and the files of pages. */
const constant = /^\/(?:docs(?:\/errors)?|openapi\.json|assets\/[^/]*)?(?:$|[?#])/u

/** The page behind a link, made once a second for all who look, and the stream that follows it. */
const page = /^\/pay\/[^/?#]+(?:$|[?#])/u
const stream = /^\/pay\/[^/?#]+\/events(?:$|[?#])/u

const isLink = ({ headers, url }: Asked): boolean =>
  stream.test(url) ||
  (page.test(url) &&
    headers["payment-signature"] === undefined &&
    (headers.accept ?? "").includes("text/html"))

/** In which line a request without a key waits. */
export const lineOf = (asked: Asked): Turns.Line => {
  if (asked.method !== "GET") return "strangers"
  if (constant.test(asked.url)) return "manual"
  return isLink(asked) ? "links" : "strangers"
}

export const kindOf = ({ url }: Pick<Asked, "url">): "supervisor" | "key" | "stranger" =>
  isKeyed(url) ? "key" : supervisory.test(url) ? "supervisor" : "stranger"

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

/** Serves a request as its kind may be served, once it was let in. */
export const served = <A, E, R>(
  asked: Asked,
  visit: Facts,
  { refusal }: Entry,
  app: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Overloaded | RateLimited, R | RateLimits> => {
  if (refusal !== undefined) return Effect.fail(refusal)
  return kindOf(asked) === "stranger"
    ? Effect.andThen(withinRateLimit(asked.url, visit.client), app)
    : app
}

/** Before a refusal of a key that was let in at once leaves, its client waits its turn. */
export const paced = <A, E, R>(visit: Facts, { key }: Entry, answered: Effect.Effect<A, E, R>) =>
  key !== undefined
    ? Effect.flatMapEager(answered, (answer) =>
        visit.isKeyed()
          ? Effect.succeed(answer)
          : Effect.as(Effect.ignore(visit.inTurn(Effect.void)), answer)
      )
    : answered
