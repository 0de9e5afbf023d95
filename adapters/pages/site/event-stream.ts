/**
 * Server-sent events of a page that follows one thing. A stream listens first, then tells what differs from what
 * the browser has, then looks again at each hint and now and then; so nothing is missed and nothing told twice,
 * whichever process a browser comes back to.
 */
import { Duration, Effect, type Scope, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Visit } from "../../http/edge/visit.ts"
import { StreamLife } from "../../http/guards/room.ts"
import { pageHeaders } from "./headers.ts"
import { OpenStreams } from "./open-streams.ts"

/** Hints get lost and some changes hint at nothing; looking costs one read. */
const pollInterval = Duration.seconds(3)

/** Changes come in bursts, and a person reads no faster than this. */
const settling = Duration.millis(200)

/** Silent streams are cut by proxies; a comment within ten seconds is not silence. */
const looksPerBeat = 3

const beat = ": still here\n\n"

/** How soon a browser comes back after it lost the stream. */
const opening = "retry: 1000\n\n"

/** What one look came to. */
export interface Look<State> {
  /** What is told of it; nothing, when nothing differs. */
  readonly event?: Event | undefined
  readonly state: State
  /** Whether nothing more can change. */
  readonly isOver: boolean
}

export interface Event {
  readonly name: string
  /** Names what is told: the browser sends it again when it comes back. */
  readonly version: string
  readonly data: unknown
}

interface Followed<State, E, R> {
  readonly client: string
  /** Starts to listen for hints, before the first look. */
  readonly listen: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  readonly start: State
  readonly look: (state: State) => Effect.Effect<Look<State>, E, R>
}

interface Progress<State> {
  readonly state: State
  readonly silentLooks: number
  readonly isFirst: boolean
  readonly isOver: boolean
}

const written = ({ data, name, version }: Event) =>
  `id: ${version}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** An event when something differs, else nothing or a beat. */
const newsOf = <State>(look: Look<State>, { silentLooks }: Progress<State>) => {
  const { event, isOver, state } = look
  const silent = event === undefined ? (silentLooks + 1) % looksPerBeat : 0
  const text = event === undefined ? (silent === 0 ? beat : "") : written(event)
  return [text, { state, silentLooks: silent, isFirst: false, isOver }] as const
}

const events = <State, E, R>({ client, listen, look, start }: Followed<State, E, R>) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const streams = yield* OpenStreams
      const visit = yield* Visit
      // Room is found before the thing is read, and others may have come meanwhile.
      if (!(yield* streams.enter(client))) return Stream.make(opening)
      const heard = yield* listen
      const pause = Effect.raceAllFirst([
        Effect.as(Effect.andThen(heard, Effect.sleep(settling)), false),
        Effect.as(Effect.sleep(pollInterval), false),
        Effect.as(streams.closing, true)
      ])
      const first: Progress<State> = { state: start, silentLooks: 0, isFirst: true, isOver: false }
      const looking = Stream.unfold(
        first,
        Effect.fnUntraced(function* (progress) {
          if (progress.isOver || (!progress.isFirst && (yield* pause))) return undefined
          // Many look at once when a block comes. Whoever finds no room looks again a little later.
          return yield* Effect.match(visit.inTurn(look(progress.state)), {
            onSuccess: (seen) => newsOf(seen, progress),
            onFailure: () => ["", { ...progress, isFirst: false }] as const
          })
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
export const versionIn = (request: HttpServerRequest.HttpServerRequest): string => {
  const after = new URL(request.url, "http://site").searchParams.get("after")
  const said = request.headers["last-event-id"] ?? after ?? ""
  return versionForm.test(said) ? said : ""
}

/** Told to a client that has as many pages open as it may. */
export const full = HttpServerResponse.text("Too many pages are open; try again in a moment.\n", {
  status: 503,
  headers: { ...pageHeaders, "retry-after": "5" }
})

export const eventStream = <State, E, R>(followed: Followed<State, E, R>) =>
  Effect.map(closed(events(followed)), (body) =>
    HttpServerResponse.stream(Stream.encodeText(body), {
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
  )
