/**
 * How a request stands, as it changes: server-sent events that each carry the whole of what is shown. A
 * stream listens first, then tells what differs from what the browser has, then follows; so nothing is
 * missed and nothing told twice, whichever process a browser comes back to.
 */
import { DateTime, Duration, Effect, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { publicRow, publicView } from "../../../core/payments/public.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { isPayable } from "../../../core/payments/status.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { routedClientOf } from "../../http/client-address.ts"
import { Visit } from "../../http/edge/visit.ts"
import { StreamLife } from "../../http/guards/room.ts"
import { RecentReads } from "../../http/recent-reads.ts"
import { pageHeaders } from "../site/headers.ts"
import { OpenStreams } from "../site/open-streams.ts"
import { shownOf, versionOf } from "./shown.ts"
import { canPay } from "./trial-payer.ts"

/** Hints get lost and some changes hint at nothing; looking costs one read. */
const pollInterval = Duration.seconds(3)

/** Blocks come in bursts, and a payer reads no faster than this. */
const settling = Duration.millis(200)

/** Silent streams are cut by proxies; a comment within ten seconds is not silence. */
const looksPerBeat = 3

const beat = ": still here\n\n"

/** How soon a browser comes back after it lost the stream. */
const opening = "retry: 1000\n\n"

interface Progress {
  readonly version: string
  readonly row: PaymentRequest | undefined
  readonly silentLooks: number
  readonly isFirst: boolean
  readonly isOver: boolean
}

/** While blocks confirm a payment, what is shown changes though the row does not. */
const mayDiffer = (before: PaymentRequest | undefined, now: PaymentRequest) =>
  before === undefined ||
  now.status === "processing" ||
  before.status !== now.status ||
  !DateTime.Equivalence(before.updatedAt, now.updatedAt) ||
  !DateTime.Equivalence(before.expiresAt, now.expiresAt)

/** Looks once: an event when something differs, else nothing or a beat. */
const look = Effect.fnUntraced(function* (pid: string, told: Progress) {
  const { read } = yield* RecentReads
  const row = yield* read(`row ${pid}`, publicRow(pid))
  if (row === undefined) return ["", { ...told, isOver: true }] as const
  const isOver = !isPayable(row.status)
  const view = read(`view ${pid}`, publicView(row))
  const takesTrial = yield* canPay(row.chainId)
  const shown = mayDiffer(told.row, row) ? shownOf(yield* view, takesTrial) : undefined
  const version = shown === undefined ? told.version : versionOf(shown)
  if (version !== told.version) {
    const event = `id: ${version}\nevent: shown\ndata: ${JSON.stringify(shown)}\n\n`
    return [event, { ...told, version, row, silentLooks: 0, isOver }] as const
  }
  const silentLooks = (told.silentLooks + 1) % looksPerBeat
  return [silentLooks === 0 ? beat : "", { ...told, row, silentLooks, isOver }] as const
})

/** From the version a browser has, until nothing more can change. */
const events = (pid: string, version: string, client: string) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const streams = yield* OpenStreams
      const visit = yield* Visit
      // Room is found before the row is read, and others may have come meanwhile.
      if (!(yield* streams.enter(client))) return Stream.make(opening)
      const heard = yield* (yield* Notifier).listen("payments")
      const pause = Effect.raceAllFirst([
        Effect.as(Effect.andThen(heard, Effect.sleep(settling)), false),
        Effect.as(Effect.sleep(pollInterval), false),
        Effect.as(streams.closing, true)
      ])
      const start: Progress = {
        version,
        row: undefined,
        silentLooks: 0,
        isFirst: true,
        isOver: false
      }
      const looking = Stream.unfold(
        start,
        Effect.fnUntraced(function* (told) {
          if (told.isOver || (!told.isFirst && (yield* pause))) return undefined
          const next = { ...told, isFirst: false }
          // Many look at once when a block comes. Whoever finds no room looks again a little later.
          return yield* Effect.catch(visit.inTurn(look(pid, next)), () =>
            Effect.succeed(["", next] as const)
          )
        })
      )
      return Stream.make(opening).pipe(
        Stream.concat(looking),
        Stream.filter((text) => text !== ""),
        // A browser comes back at once and goes on from what it has; who only holds a place does not.
        Stream.interruptWhen(Effect.sleep(yield* StreamLife))
      )
    })
  )

/** The stream with all it needs, as an answer is written when its handler is done. */
const closed = <A, E, R>(stream: Stream.Stream<A, E, R>) =>
  Effect.map(Effect.context<R>(), (context) => Stream.provideContext(stream, context))

const versionForm = /^[\w-]{16}$/u

/** What the browser was told last: its own memory before the address the page gave it. */
const versionIn = (request: HttpServerRequest.HttpServerRequest): string => {
  const after = new URL(request.url, "http://site").searchParams.get("after")
  const said = request.headers["last-event-id"] ?? after ?? ""
  return versionForm.test(said) ? said : ""
}

const full = HttpServerResponse.text("Too many pages are open; try again in a moment.\n", {
  status: 503,
  headers: { ...pageHeaders, "retry-after": "5" }
})

export const eventStream = (proxies: number) =>
  Effect.gen(function* () {
    const { pid = "" } = yield* HttpRouter.params
    const request = yield* HttpServerRequest.HttpServerRequest
    const client = routedClientOf(request, proxies)
    if (!(yield* OpenStreams).hasRoom(client)) return full
    const row = yield* (yield* RecentReads).read(`row ${pid}`, publicRow(pid))
    if (row === undefined) return HttpServerResponse.empty({ status: 404 })
    const body = yield* closed(events(pid, versionIn(request), client))
    return HttpServerResponse.stream(Stream.encodeText(body), {
      contentType: "text/event-stream",
      // A proxy that keeps or compresses it would hold it back.
      headers: {
        ...pageHeaders,
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        // A connection kept for later would outlast the stream, and hold up a service that stops.
        connection: "close"
      }
    })
  })
