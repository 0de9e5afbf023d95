/**
 * What every request passes through: the door, its id, the headers every answer carries, and one uniform body
 * for all that was refused, not found or unforeseen. Calls of the catalogue leave here for their surface.
 */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Keys } from "../../../core/accounts/account-store.ts"
import { seenOf } from "../../../core/accounts/seen-keys.ts"
import { Deployment } from "../../../core/operation/deployment.ts"
import type { Refusal } from "../../../core/operation/refusal.ts"
import { Ids } from "../../../core/ports/ids.ts"
import * as Answer from "../answer.ts"
import { Intake } from "../guards/intake.ts"
import { Arriving, Room } from "../guards/room.ts"
import * as Missing from "../manual/missing-page.ts"
import { Surface } from "../surface/surface.ts"
import * as Admission from "./admission.ts"
import * as Calls from "./calls.ts"
import * as Cors from "./cors.ts"
import * as Forwarded from "./forwarded.ts"
import * as Meter from "./meter.ts"
import { chooser, RequestId } from "./request-id.ts"
import * as Strangers from "./strangers.ts"
import * as Told from "./told.ts"
import * as Turns from "./turns.ts"
import * as Visit from "./visit.ts"

export interface Options {
  /** Origins whose pages may call the API from a browser; none, and no CORS headers, when left out. */
  readonly origins?: ReadonlyArray<string>
  /** How many proxies of ours stand in front and write `X-Forwarded-For`; 0 when clients connect directly. */
  readonly proxies?: number
}

/** The door of this server: what it lets in is a call of the catalogue, or goes on to the router of pages. */
const opening = Effect.fnUntraced(function* ({ origins = [], proxies = 0 }: Options) {
  const choose = yield* chooser(yield* Ids)
  const turns = Turns.make(Turns.defaults, yield* Arriving)
  const seen = seenOf(yield* Keys)
  const wasInForce = (key: string) => seen.digestInForce(key) !== undefined
  const admission = Admission.make({ turns, proxies, wasInForce })
  const surface = yield* Surface
  const scope = yield* Effect.scope
  const serve = yield* Calls.make({ turns, proxies, origins, choose, scope })
  const intake = yield* Intake
  intake.appoint((incoming, answer, begin) =>
    admission.doorkeeper(incoming, answer, () => {
      const entry = admission.entryOf(incoming)
      const { method, url } = entry.asked
      // Preflights are answered for all addresses alike.
      const isPreflight = method === "OPTIONS" && origins.length > 0
      const found = isPreflight ? undefined : surface.find(method, url)
      if (found === undefined) begin()
      else serve(found, incoming, answer, entry)
    })
  )
  const visitOf = (incoming: IncomingMessage) => {
    const entry = admission.entryOf(incoming)
    return { entry, visit: Visit.make(incoming, proxies, turns, entry) }
  }
  return { choose, visitOf }
})

export const layer = (options: Options = {}) =>
  HttpRouter.middleware<{ provides: RequestId | Visit.Visit; handles: Refusal }>()(
    Effect.gen(function* () {
      const { origins = [], proxies = 0 } = options
      const { choose, visitOf } = yield* opening(options)
      const { siteUrl } = yield* Deployment
      const room = yield* Room
      const constant = Told.constantHeaders(siteUrl)
      const warn = Forwarded.warner(proxies)
      return (app) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          // The server that hands requests over is node's.
          const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
          const requestId = choose(request.headers["x-request-id"])
          const { entry, visit } = visitOf(incoming)
          yield* warn(request)
          const overloaded = Strangers.kindOf(request) === "supervisor" ? undefined : room(incoming)
          const begun =
            overloaded === undefined
              ? Strangers.served(request, visit, entry, app)
              : Effect.fail(overloaded)
          const told = Effect.catchCause(begun, (cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.map(Told.refusalOf(request, requestId, cause), (refusal) =>
                  Missing.isWanted(request, refusal)
                    ? Missing.missingPage()
                    : Answer.refused(request, refusal, { requestId, siteUrl })
                )
          ).pipe(
            Effect.provideService(RequestId, requestId),
            Effect.provideService(Visit.Visit, visit)
          )
          const answered = Strangers.paced(visit, entry, told)
          const allowed = origins.length === 0 ? answered : Cors.middleware(origins)(answered)
          // Around all of it: a preflight is answered without what is inside, and has a place too.
          const response = yield* Effect.ensuring(
            allowed,
            Effect.sync(() => visit.end())
          )
          yield* Meter.count(response.status)
          const isKept = response.headers["cache-control"] !== undefined
          const always = { ...(isKept ? constant.kept : constant.other), "x-request-id": requestId }
          return HttpServerResponse.setHeaders(response, always)
        })
    }),
    { global: true }
  )
