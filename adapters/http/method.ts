/**
 * Routes that answer every method of a path: the ones it has, and 405 with `Allow` for the rest. A word where
 * an id belongs is no such path: it is another address, at which nothing is served.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/operation/refusal.ts"
import { MethodNotAllowed } from "./refusals.ts"
import { type Method, methods, type Path } from "./routes.ts"
import type * as Surface from "./surface/surface.ts"

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

export const nothingHere = () => new NotFound({ message: "Route not found. See /docs." })

const lastField = /\/:(\w+)$/u
const id = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|pr_[0-9A-Za-z]{22})$/iu

/** Why a path has not a method: it has others, if what stands where an id belongs may be one. */
const refusalAt = (path: Path, known: ReadonlyArray<Method>) => {
  const [, field] = lastField.exec(path) ?? []
  return (params: Surface.Params): MethodNotAllowed | NotFound =>
    field === undefined || id.test(params[field] ?? "") ? refuse(known) : nothingHere()
}

const othersThan = (known: ReadonlyArray<Method>) =>
  ([...methods, "OPTIONS"] as const).filter((method) => !known.some((name) => name === method))

/** The same routes of the router of pages, for one path. */
export const exactly = <E, R>(
  path: Path,
  served: ReadonlyArray<readonly [Method, Handler<E, R>]>
): ReadonlyArray<
  HttpRouter.Route<E | MethodNotAllowed | NotFound, Exclude<R, HttpRouter.Provided>>
> => {
  const known = served.map(([method]) => method)
  const why = refusalAt(path, known)
  const refusing = Effect.flatMap(HttpRouter.params, (params) => Effect.fail(why(params)))
  return [
    ...served.map(([method, handler]) => HttpRouter.route(method, path, handler)),
    ...othersThan(known).map((method) => HttpRouter.route(method, path, refusing))
  ]
}

/** The routes of the surface of the catalogue, for one path. */
export const exactlyServed = <R>(
  path: Path,
  served: ReadonlyArray<readonly [Method, Surface.Handler<R>]>
): ReadonlyArray<Surface.Route<R>> => {
  const known = served.map(([method]) => method)
  const why = refusalAt(path, known)
  return [
    ...served.map(([method, handle]): Surface.Route<R> => [method, path, handle]),
    ...othersThan(known).map(
      (method): Surface.Route<R> => [method, path, (_, params) => Effect.fail(why(params))]
    )
  ]
}
