/**
 * `/metrics`: what was counted and how the work stands, as Prometheus text. It is served to whoever has the
 * token or, where somebody says so, to all; without either it is an address like any that does not exist.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { Duration, Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import * as Method from "./method.ts"

/** Nobody, everybody, or whoever bears the token. */
export type Audience = "off" | "open" | Redacted.Redacted<string>

export interface Options<R = never> {
  readonly audience: Audience
  /** Brings figures up to date before they are told; when it cannot, the last ones stand. */
  readonly measure?: Effect.Effect<unknown, unknown, R> | undefined
}

/** How long figures stand, so that asking cannot become a load. */
const measuredForMs = 5_000
const measureTimeout = "2 seconds"

const digest = (text: string) => createHash("sha256").update(text).digest()

const isMeant = (audience: Audience, authorization: string | undefined): boolean =>
  audience === "open" ||
  (audience !== "off" &&
    timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${Redacted.value(audience)}`)))

const refused = HttpServerResponse.empty({
  status: 401,
  headers: { "www-authenticate": 'Bearer realm="metrics"' }
})

const contentType = "text/plain; version=0.0.4; charset=utf-8"

export const routes = Effect.fnUntraced(function* <R>({ audience, measure }: Options<R>) {
  if (audience === "off") return []
  const brought = (measure ?? Effect.void).pipe(
    Effect.timeout(measureTimeout),
    Effect.catchCause((cause) => Effect.logWarning("The metrics could not be read", cause))
  )
  const upToDate = yield* Effect.cachedWithTTL(brought, Duration.millis(measuredForMs))
  const answer = Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (!isMeant(audience, headers.authorization)) return refused
    yield* upToDate
    const body = yield* PrometheusMetrics.format({ prefix: "bursar" })
    return HttpServerResponse.text(body, { contentType })
  })
  return Method.exactly("/metrics", [["GET", () => answer]])
})
