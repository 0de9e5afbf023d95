/**
 * REST over the whole catalogue: one handler, whatever the operation. It finds the caller, then reads
 * the input, then invokes; every rule beyond that is core's.
 */
import { Context, Effect } from "effect"
import { Deployment } from "../../core/operation/deployment.ts"
import * as Answer from "./answer.ts"
import * as Bearer from "./bearer.ts"
import { RequestId } from "./edge/request-id.ts"
import { nothingHappened } from "./edge/unexpected.ts"
import type { Visit } from "./edge/visit.ts"
import { call, type Needs } from "./invocation.ts"
import * as Method from "./method.ts"
import { namesTheSame } from "./reading/agreement.ts"
import * as Input from "./reading/input.ts"
import * as Query from "./reading/query.ts"
import { type ServedRoute, servedRoutes } from "./route.ts"
import type { Request } from "./surface/exchange.ts"
import { type Params, serving } from "./surface/surface.ts"

/** Whose call it is, which operation it means and what goes in. */
const prepare = (
  context: Context.Context<Visit | Needs>,
  place: ServedRoute,
  request: Request,
  params: Params
) =>
  Effect.flatMapEager(Bearer.callerIn(context, request), (caller) =>
    Effect.flatMapEager(Query.parse(request.url), (parameters) =>
      Effect.flatMapEager(Input.choose(place, parameters), (bound) => {
        const { operation } = bound
        const agrees = namesTheSame(caller, operation)
        return Effect.mapEager(
          Input.read(bound, caller.scopes, request, params, parameters, agrees),
          (input) => ({ caller, input, operation })
        )
      })
    )
  )

const serve =
  (place: ServedRoute) =>
  (
    request: Request,
    params: Params,
    context: Context.Context<RequestId | Deployment | Visit | Needs>
  ) => {
    const requestId = Context.get(context, RequestId)
    const { siteUrl } = Context.get(context, Deployment)
    const idempotencyKey = request.headers["idempotency-key"]
    const prepared = nothingHappened(() => prepare(context, place, request, params))
    return Effect.flatMapEager(prepared, ({ caller, input, operation }) =>
      Effect.mapEager(
        call(
          context,
          operation,
          idempotencyKey === undefined
            ? { caller, input, requestId }
            : { caller, input, requestId, idempotencyKey }
        ),
        (answer) => Answer.reply(request, operation, answer, { requestId, siteUrl })
      )
    )
  }

/** Serves the routes of the catalogue, and refuses what is no method of theirs. */
export const layer = () =>
  serving(
    [...Map.groupBy(servedRoutes, ({ path }) => path)].flatMap(([path, here]) =>
      Method.exactlyServed(
        path,
        here.map((place) => [place.method, serve(place)] as const)
      )
    )
  )
