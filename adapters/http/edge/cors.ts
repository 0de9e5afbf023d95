/** Which pages in browsers may call the API, and what of an answer they may read. */
import { HttpMiddleware } from "effect/http"
import type { Reply } from "../surface/exchange.ts"

const exposedHeaders = [
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "idempotent-replayed",
  "payment-required",
  "payment-response"
]

const exposed = exposedHeaders.join(",")

/** For the router of pages, which answers preflights of all addresses. */
export const middleware = (origins: ReadonlyArray<string>) =>
  HttpMiddleware.cors({
    allowedOrigins: (origin) => origins.includes(origin),
    allowedHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "payment-signature",
      "x-request-id"
    ],
    exposedHeaders,
    maxAge: 600
  })

/** A reply as a page of this origin may read it; as it is where no page is let in. */
export const allowing = (
  origins: ReadonlyArray<string>,
  origin: string | undefined,
  reply: Reply
): Reply => {
  if (origins.length === 0) return reply
  const { headers } = reply
  const isAllowed = origin !== undefined && origins.includes(origin)
  return {
    ...reply,
    headers: {
      ...headers,
      ...(isAllowed ? { "access-control-allow-origin": origin } : {}),
      "access-control-expose-headers": exposed,
      vary: headers.vary === undefined ? "Origin" : `${headers.vary}, Origin`
    }
  }
}
