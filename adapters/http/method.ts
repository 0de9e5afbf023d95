/** Routes that answer every method of a path: the ones it has, and 405 with `Allow` for the rest. */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { MethodNotAllowed } from "./refusals.ts"
import { type Method, methods, type Path } from "./route.ts"

export type Handler<E, R> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** HEAD is served wherever GET is. */
const allowed = (served: ReadonlyArray<Method>): ReadonlyArray<string> =>
  served.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))

export const refuse = (served: ReadonlyArray<Method>): MethodNotAllowed => {
  const list = allowed(served)
  return new MethodNotAllowed({
    message: `Use ${list.join(", ")} here.`,
    details: { allowed: list }
  })
}

/** The routes of one path. */
export const exactly = <E, R>(
  path: Path,
  served: ReadonlyArray<readonly [Method, Handler<E, R>]>
): ReadonlyArray<HttpRouter.Route<E | MethodNotAllowed, Exclude<R, HttpRouter.Provided>>> => {
  const known = served.map(([method]) => method)
  const refusing = ([...methods, "OPTIONS"] as const).filter(
    (method) => !known.some((name) => name === method)
  )
  return [
    ...served.map(([method, handler]) => HttpRouter.route(method, path, handler)),
    ...refusing.map((method) =>
      HttpRouter.route(
        method,
        path,
        Effect.suspend(() => Effect.fail(refuse(known)))
      )
    )
  ]
}
