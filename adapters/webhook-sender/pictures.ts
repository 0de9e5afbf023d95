/**
 * Brings pictures from the internet by the rules that webhooks are sent by: the URL is judged, its name is resolved
 * here, the address that was judged is the one that is dialled, and nothing is followed.
 */
import { Effect, Layer } from "effect"
import type { Dispatcher } from "undici"
import { Pictures, PictureUnavailable } from "../../core/ports/pictures.ts"
import * as Failure from "./failure.ts"
import * as NameLookup from "./name-lookup.ts"
import * as PinnedConnector from "./pinned-connector.ts"
import * as UrlPolicy from "./url-policy.ts"
import type { Options } from "./webhook-sender.ts"

const connectTimeoutMs = 3000
const defaultDeadlineMs = 10_000

const unavailable = (message: string) => new PictureUnavailable({ message })

const wholeOf = async (
  { body, statusCode }: Dispatcher.ResponseData,
  maxBytes: number
): Promise<Uint8Array> => {
  if (statusCode !== 200) throw unavailable(`it answered ${statusCode}`)
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw unavailable(`it is over ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

const whyNot = (cause: unknown): PictureUnavailable =>
  cause instanceof PictureUnavailable ? cause : unavailable(Failure.read(cause).message)

export const layer = (options: Options): Layer.Layer<Pictures> =>
  Layer.sync(Pictures, () => {
    const connect = PinnedConnector.make({
      ...options,
      lookup: options.lookup ?? NameLookup.make(),
      connectTimeoutMs
    })
    const clientOf = (origin: string) =>
      Effect.acquireRelease(
        Effect.promise(async () => {
          // Brought in here, so that a start does without.
          const { Client } = await import("undici")
          return new Client(origin, { connect, maxHeaderSize: 8192 })
        }),
        (client) => Effect.promise(() => client.destroy())
      )
    const get = Effect.fnUntraced(function* (url: URL, maxBytes: number) {
      const client = yield* clientOf(url.origin)
      return yield* Effect.tryPromise({
        try: async (signal) => {
          const wanted = { path: url.pathname + url.search, method: "GET", signal } as const
          return wholeOf(await client.request(wanted), maxBytes)
        },
        catch: whyNot
      })
    }, Effect.scoped)
    return {
      fetch: Effect.fnUntraced(function* (url: string, maxBytes: number) {
        const violation = UrlPolicy.violation(options.mode, url)
        if (violation !== undefined) return yield* unavailable(violation)
        return yield* get(new URL(url), maxBytes).pipe(
          Effect.timeoutOrElse({
            duration: options.deadlineMs ?? defaultDeadlineMs,
            orElse: () => Effect.fail(unavailable("it did not answer in time"))
          })
        )
      })
    }
  })
