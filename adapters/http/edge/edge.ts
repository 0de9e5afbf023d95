/**
 * What every request passes through: its id, the headers every answer carries, and one uniform body
 * for all that was refused, not found or unforeseen.
 */
import { Cause, Effect } from "effect"
import {
  HttpMiddleware,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { Deployment } from "../../../core/deployment.ts"
import { Ids } from "../../../core/ports/ids.ts"
import { InvalidRequest, NotFound, type Refusal } from "../../../core/refusal.ts"
import * as Answer from "../answer.ts"
import { Room } from "../guards/room.ts"
import * as Method from "../method.ts"
import { methods } from "../route.ts"
import * as Meter from "./meter.ts"
import { chooser, RequestId } from "./request-id.ts"
import * as Unexpected from "./unexpected.ts"

export interface Options {
  /** Origins whose pages may call the API from a browser; none, and no CORS headers, when left out. */
  readonly origins?: ReadonlyArray<string>
}

type Request = HttpServerRequest.HttpServerRequest

const known: ReadonlySet<string> = new Set([...methods, "HEAD", "OPTIONS"])

const unserved = (request: Request): Refusal =>
  known.has(request.method)
    ? new NotFound({ message: "Nothing is served at this address; /docs lists what is." })
    : Method.refuse(methods)

/** A read that failed did nothing; of a write that failed outside its operation we cannot say. */
const unforeseen = (request: Request, requestId: string, cause: Cause.Cause<unknown>) =>
  Effect.as(
    Effect.logError(`${request.method} ${request.url.split("?")[0]} failed`, cause).pipe(
      Effect.annotateLogs({ requestId })
    ),
    Unexpected.internal(
      requestId,
      request.method === "GET" || request.method === "HEAD" ? "not_executed" : "unknown"
    )
  )

const refusalOf = (
  request: Request,
  requestId: string,
  cause: Cause.Cause<unknown>
): Effect.Effect<Refusal> => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (Unexpected.isRefusal(error)) return Effect.succeed(error)
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return Effect.succeed(unserved(request))
    if (error.reason._tag === "RequestParseError") {
      return Effect.succeed(new InvalidRequest({ message: "The request could not be read." }))
    }
  }
  return unforeseen(request, requestId, cause)
}

/** Whoever watches over the service is answered whatever it goes through. */
const supervisory = /^\/(health\/|metrics$)/u

const marked = (response: HttpServerResponse.HttpServerResponse, requestId: string) =>
  HttpServerResponse.setHeaders(response, {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    ...(response.headers["cache-control"] === undefined ? { "cache-control": "no-store" } : {})
  })

const corsFor = (origins: ReadonlyArray<string>) =>
  HttpMiddleware.cors({
    allowedOrigins: (origin) => origins.includes(origin),
    allowedHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "payment-signature",
      "x-request-id"
    ],
    exposedHeaders: [
      "x-request-id",
      "ratelimit",
      "ratelimit-policy",
      "retry-after",
      "idempotent-replayed",
      "payment-required",
      "payment-response"
    ],
    maxAge: 600
  })

export const layer = ({ origins = [] }: Options = {}) =>
  HttpRouter.middleware<{ provides: RequestId; handles: Refusal }>()(
    Effect.gen(function* () {
      const choose = yield* chooser(yield* Ids)
      const { siteUrl } = yield* Deployment
      const room = yield* Room
      return (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = choose(request.headers["x-request-id"])
          const overloaded = supervisory.test(request.url) ? undefined : room(request)
          const begun = overloaded === undefined ? app : Effect.fail(overloaded)
          const answered = Effect.catchCause(begun, (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.map(refusalOf(request, requestId, cause), (refusal) =>
                  Answer.refused(request, refusal, { requestId, siteUrl })
                )
          ).pipe(Effect.provideService(RequestId, requestId))
          const response = yield* origins.length === 0 ? answered : corsFor(origins)(answered)
          yield* Meter.count(response.status)
          return marked(response, requestId)
        })
    }),
    { global: true }
  )
