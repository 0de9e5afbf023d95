/**
 * REST over the whole catalogue: one handler, whatever the operation. It finds the caller, then reads
 * the input, then invokes; every rule beyond that is core's.
 */
import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Deployment } from "../../core/operation/deployment.ts"
import * as Answer from "./answer.ts"
import * as Bearer from "./bearer.ts"
import { RequestId } from "./edge/request-id.ts"
import { nothingHappened } from "./edge/unexpected.ts"
import { call } from "./invocation.ts"
import * as Method from "./method.ts"
import { namesTheSame } from "./reading/agreement.ts"
import * as Input from "./reading/input.ts"
import * as Query from "./reading/query.ts"
import { type ServedRoute, servedRoutes } from "./route.ts"

export interface Options {
  /** How many proxies of ours stand in front and write `X-Forwarded-For`; 0 when clients connect directly. */
  readonly proxies?: number
}

const prepare = Effect.fnUntraced(function* (
  place: ServedRoute,
  request: HttpServerRequest.HttpServerRequest,
  proxies: number
) {
  const caller = yield* Bearer.caller(request, proxies)
  const parameters = yield* Query.parse(request.url)
  const bound = yield* Input.choose(place, parameters)
  const input = yield* Input.read(
    bound,
    caller.scopes,
    request,
    yield* HttpRouter.params,
    parameters,
    namesTheSame(caller, bound.operation)
  )
  return { caller, input, operation: bound.operation }
})

const serve = (place: ServedRoute, proxies: number) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const requestId = yield* RequestId
    const { siteUrl } = yield* Deployment
    const { caller, input, operation } = yield* nothingHappened(prepare(place, request, proxies))
    const idempotencyKey = request.headers["idempotency-key"]
    const answer = yield* call(operation, {
      caller,
      input,
      requestId,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey })
    })
    return Answer.of(request, operation, answer, { requestId, siteUrl })
  })

/** Adds the routes of the catalogue to the router. */
export const layer = ({ proxies = 0 }: Options = {}) =>
  HttpRouter.addAll(
    [...Map.groupBy(servedRoutes, ({ path }) => path)].flatMap(([path, here]) =>
      Method.exactly(
        path,
        here.map((place) => [place.method, serve(place, proxies)] as const)
      )
    )
  )
