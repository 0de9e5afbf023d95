/**
 * Where the catalogue is served, beside the router of pages: every route is one plain function from a request to
 * the effect of its reply. The router keeps whatever is no call of an operation.
 */
import { Context, Effect, Layer } from "effect"
import * as FindMyWay from "effect/http/FindMyWay"
import type { Refusal } from "../../../core/operation/refusal.ts"
import type { RequestId } from "../edge/request-id.ts"
import type { Visit } from "../edge/visit.ts"
import type { Method, Path } from "../routes.ts"
import type { Reply, Request } from "./exchange.ts"

export type Params = Readonly<Record<string, string | undefined>>

/** What is known of a call wherever it is served. */
export type Provided = RequestId | Visit

/** Whoever is known as soon as it is asked waits for nothing, so it is handed what an effect would find around it. */
export type Handler<R> = (
  request: Request,
  params: Params,
  context: Context.Context<R | Provided>
) => Effect.Effect<Reply, Refusal, R | Provided>

export type Route<R> = readonly [method: Method | "OPTIONS", path: Path, handle: Handler<R>]

/** A route with what it needs. */
export interface Endpoint {
  readonly handle: Handler<never>
  readonly context: Context.Context<never>
}

export interface Found {
  readonly endpoint: Endpoint
  readonly params: Params
}

/** Addresses are matched to the letter, here as in the router of pages. */
export const matching = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
} as const

export class Surface extends Context.Service<
  Surface,
  {
    readonly add: (method: Method | "OPTIONS", path: Path, endpoint: Endpoint) => void
    /** HEAD is served wherever GET is. */
    readonly find: (method: string, url: string) => Found | undefined
  }
>()("bursar/http/Surface") {}

/** The router compares each line with all before it, so a path is one line, whatever its methods. */
const line = "GET"

export const layer: Layer.Layer<Surface> = Layer.sync(Surface, () => {
  const router = FindMyWay.make<Map<string, Endpoint>>(matching)
  const paths = new Map<Path, Map<string, Endpoint>>()
  const at = (path: Path) => {
    const known = paths.get(path)
    if (known !== undefined) return known
    const fresh = new Map<string, Endpoint>()
    paths.set(path, fresh)
    router.on(line, path, fresh)
    return fresh
  }
  return {
    add: (method, path, endpoint) => {
      const methods = at(path)
      if (methods.has(method)) throw new Error(`${method} ${path} is served twice`)
      methods.set(method, endpoint)
    },
    find: (method, url) => {
      const found = router.find(line, url)
      const endpoint = found?.handler.get(method === "HEAD" ? "GET" : method)
      return found === undefined || endpoint === undefined
        ? undefined
        : { endpoint, params: found.params }
    }
  }
})

/** A call and its transaction add a dozen services of their own; beyond the depth, all there are would be copied. */
const maxDepth = 24

/** Adds routes, each with all that it needs from here; a path comes with every method, the ones it refuses too. */
export const serving = <R>(
  routes: ReadonlyArray<Route<R>>
): Layer.Layer<never, never, Surface | Exclude<R, Provided>> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const surface = yield* Surface
      const services = yield* Effect.context<Exclude<R, Provided>>()
      const context = Context.makeUnsafe<Exclude<R, Provided>>(services.mapUnsafe, { maxDepth })
      for (const [method, path, handle] of routes) {
        // Its own context holds what the type asks for.
        surface.add(method, path, { handle: handle as Handler<never>, context })
      }
    })
  )
