/**
 * What every request passes through: its id, the headers every answer carries, and one uniform body
 * for all that was refused, not found or unforeseen.
 */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect } from "effect"
import {
  HttpMiddleware,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { Keys } from "../../../core/accounts/account-store.ts"
import { seenOf } from "../../../core/accounts/seen-keys.ts"
import { Deployment } from "../../../core/operation/deployment.ts"
import { InvalidRequest, type Refusal } from "../../../core/operation/refusal.ts"
import { Ids } from "../../../core/ports/ids.ts"
import * as Answer from "../answer.ts"
import { Intake } from "../guards/intake.ts"
import { Arriving, Room } from "../guards/room.ts"
import * as Method from "../method.ts"
import { methods } from "../routes.ts"
import * as Admission from "./admission.ts"
import * as Forwarded from "./forwarded.ts"
import * as Meter from "./meter.ts"
import { chooser, RequestId } from "./request-id.ts"
import * as Strangers from "./strangers.ts"
import * as Turns from "./turns.ts"
import * as Unexpected from "./unexpected.ts"
import * as Visit from "./visit.ts"

export interface Options {
  /** Origins whose pages may call the API from a browser; none, and no CORS headers, when left out. */
  readonly origins?: ReadonlyArray<string>
  /** How many proxies of ours stand in front and write `X-Forwarded-For`; 0 when clients connect directly. */
  readonly proxies?: number
}

type Request = HttpServerRequest.HttpServerRequest

const knownMethods: ReadonlySet<string> = new Set([...methods, "HEAD", "OPTIONS"])

const unserved = (request: Request): Refusal =>
  knownMethods.has(request.method) ? Method.nothingHere() : Method.refuse(methods)

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

/** A browser that came by https once comes by nothing else for a year. */
const transportHeaders = (siteUrl: string): Readonly<Record<string, string>> =>
  siteUrl.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {}

const marked = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
  transport: Readonly<Record<string, string>>
) =>
  HttpServerResponse.setHeaders(response, {
    ...transport,
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

/** The lines of this server, which every request is let in by from now on. */
const admitting = Effect.fnUntraced(function* (proxies: number) {
  const turns = Turns.make(Turns.defaults, yield* Arriving)
  const seen = seenOf(yield* Keys)
  const wasInForce = (key: string) => seen.digestInForce(key) !== undefined
  const { doorkeeper, entryOf } = Admission.make({ turns, proxies, wasInForce })
  const intake = yield* Intake
  intake.appoint(doorkeeper)
  return (request: Request) => {
    // The server that hands requests over is node's.
    const entry = entryOf(NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage)
    return { entry, visit: Visit.make(request, proxies, turns, entry) }
  }
})

export const layer = ({ origins = [], proxies = 0 }: Options = {}) =>
  HttpRouter.middleware<{ provides: RequestId | Visit.Visit; handles: Refusal }>()(
    Effect.gen(function* () {
      const choose = yield* chooser(yield* Ids)
      const { siteUrl } = yield* Deployment
      const room = yield* Room
      const transport = transportHeaders(siteUrl)
      const admitted = yield* admitting(proxies)
      const warn = Forwarded.warner(proxies)
      return (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = choose(request.headers["x-request-id"])
          const { entry, visit } = admitted(request)
          yield* warn(request)
          const overloaded = Strangers.kindOf(request) === "supervisor" ? undefined : room(request)
          const begun =
            overloaded === undefined
              ? Strangers.served(request, visit, entry, app)
              : Effect.fail(overloaded)
          const told = Effect.catchCause(begun, (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.map(refusalOf(request, requestId, cause), (refusal) =>
                  Answer.refused(request, refusal, { requestId, siteUrl })
                )
          ).pipe(
            Effect.provideService(RequestId, requestId),
            Effect.provideService(Visit.Visit, visit)
          )
          const answered = Strangers.paced(request, visit, entry, told).pipe(
            Effect.ensuring(Effect.sync(visit.end))
          )
          const response = yield* origins.length === 0 ? answered : corsFor(origins)(answered)
          yield* Meter.count(response.status)
          return marked(response, requestId, transport)
        })
    }),
    { global: true }
  )
