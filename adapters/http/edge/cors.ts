/** Which pages in browsers may call the API, and what of an answer they may read. */
import { HttpMiddleware } from "effect/http"

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

/** The headers of an answer to a page of this origin; none where no page is let in. */
export const headersFor = (
  origins: ReadonlyArray<string>,
  origin: string | undefined,
  vary: string | undefined
): Readonly<Record<string, string>> => {
  if (origins.length === 0) return {}
  return {
    ...(origin !== undefined && origins.includes(origin)
      ? { "access-control-allow-origin": origin }
      : {}),
    "access-control-expose-headers": exposed,
    vary: vary === undefined ? "Origin" : `${vary}, Origin`
  }
}
