/**
 * Pages that follow what they show. A page is written with a version; its stream says when there is another, and the
 * script then reads the page again. A stream ends with the session that it was opened by.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Refusal } from "../../../../core/operation/refusal.ts"
import { Notifier, type Topic } from "../../../../core/ports/notifier.ts"
import type { Needs } from "../../../../core/treasury/treasury.ts"
import * as Browser from "../../../console/browser.ts"
import { routedClientOf } from "../../../http/client-address.ts"
import * as EventStream from "../../site/event-stream.ts"
import { OpenStreams } from "../../site/open-streams.ts"
import { type Visit, visitOf } from "./guard.ts"

/** A browser without scripts asks again, as long as there is something to follow. */
export const refreshing = (live: string | undefined): { readonly refreshSeconds?: number } =>
  live === undefined ? {} : { refreshSeconds: 10 }

/** What a page was written from. */
export interface Written {
  /** All that may change, in whatever order, as long as it is always the same. */
  readonly facts: unknown
  /** Whether nothing of it changes any more. */
  readonly isOver: boolean
}

export const versionOf = ({ facts }: Written): string =>
  createHash("sha256").update(JSON.stringify(facts)).digest("base64url").slice(0, 16)

/** The version that a page follows from; undefined once nothing changes any more. */
export const followedFrom = (written: Written): string | undefined =>
  written.isOver ? undefined : versionOf(written)

interface Followed {
  readonly at: `/console/${string}/:id`
  /** What hints at a change of it. */
  readonly topic: Topic
  readonly read: (visit: Visit, id: string) => Effect.Effect<Written, Refusal, Needs>
}

/** The stream of a page, at the page's address with `/events` behind it. */
export const followed =
  ({ at, read, topic }: Followed) =>
  (proxies: number) =>
    HttpRouter.add(
      "GET",
      `${at}/events`,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { id = "" } = yield* HttpRouter.params
        const client = routedClientOf(request, proxies)
        if (!(yield* OpenStreams).hasRoom(client)) return EventStream.full
        const now = Effect.gen(function* () {
          return yield* read(yield* visitOf(yield* Browser.signedIn(request)), id)
        })
        const first = yield* Effect.result(now)
        if (first._tag === "Failure") {
          const isNobody = first.failure._tag === "SIGN_IN_REQUIRED"
          return HttpServerResponse.empty({ status: isNobody ? 401 : 404 })
        }
        const look = Effect.fnUntraced(function* (told: string) {
          const seen = yield* Effect.result(now)
          if (seen._tag === "Failure") {
            return { state: told, isOver: seen.failure._tag === "SIGN_IN_REQUIRED" }
          }
          const version = versionOf(seen.success)
          const event = version === told ? undefined : { name: "changed", version, data: {} }
          return { state: version, isOver: seen.success.isOver, event }
        })
        const start = EventStream.versionIn(request)
        const listen = (yield* Notifier).listen(topic)
        return yield* EventStream.eventStream({ client, listen, start, look })
      })
    )
