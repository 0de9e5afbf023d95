/** The span of a call, below the one its client sent word of. */
import { Effect, Option } from "effect"
import * as Headers from "effect/http/Headers"
import * as TraceContext from "effect/http/HttpTraceContext"
import type { Reply, Request } from "../surface/exchange.ts"

export const inServerSpan = <R>(
  { headers, method, url }: Request,
  answered: Effect.Effect<Reply, never, R>
): Effect.Effect<Reply, never, R> => {
  const parent = Option.getOrUndefined(TraceContext.fromHeaders(Headers.fromInput(headers)))
  const told = Effect.tap(answered, ({ status }) =>
    Effect.annotateCurrentSpan("http.response.status_code", status)
  )
  return Effect.withSpan(told, `http.server ${method}`, {
    kind: "server",
    captureStackTrace: false,
    ...(parent === undefined ? {} : { parent }),
    attributes: { "http.request.method": method, "url.path": url.split("?")[0] }
  }) as Effect.Effect<Reply, never, R>
}
