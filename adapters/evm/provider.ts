/**
 * One question to a bridge's provider over HTTP, bounded in time and in size. Nothing is followed; an answer that cannot
 * be read is no answer.
 */
import { Effect, Schema } from "effect"
import type { Agent, Dispatcher } from "undici"
import { BridgeUnavailable } from "../../core/ports/bridge.ts"
import { telling } from "../../core/ports/telling.ts"
import { loadOnce } from "../loading/load-once.ts"

export interface Options {
  /** Without a trailing slash. */
  readonly url: string
  readonly deadlineMs?: number
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

const deadlineMs = 5_000
const maxBytes = 256 * 1024

const unavailable = (detail: string) => new BridgeUnavailable({ detail })

const text = async (body: Dispatcher.ResponseData["body"]): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error("too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const opened = async (): Promise<Agent> => {
  // Brought in here, so that a start does without.
  const { Agent } = await import("undici")
  return new Agent({ connections: 4, pipelining: 1, allowH2: false })
}

/** Speaks to one provider, named for whoever reads of its failures; the connections end with the scope. */
export const make = Effect.fnUntraced(function* (name: string, options: Options) {
  const { get } = yield* Effect.acquireRelease(
    Effect.sync(() => loadOnce(opened)),
    ({ current }) => Effect.promise(async () => (await current())?.destroy())
  )
  const failed = ({ status }: Reply) => unavailable(`${name} answered with status ${status}.`)
  return {
    failed,
    ask: (path: string, method: "GET" | "POST" = "GET") =>
      Effect.tryPromise({
        try: async (interrupted): Promise<Reply> => {
          const agent = await get()
          // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
          const deadline = AbortSignal.timeout(options.deadlineMs ?? deadlineMs)
          const signal = AbortSignal.any([interrupted, deadline])
          const headers = { accept: "application/json" }
          const { origin, pathname, search } = new URL(`${options.url}/${path}`)
          const { body, statusCode } = await agent.request({
            origin,
            path: pathname + search,
            method,
            headers,
            signal
          })
          return { status: statusCode, body: JSON.parse(await text(body)) }
        },
        catch: (thrown) => thrown
      }).pipe(telling(() => unavailable(`${name} does not answer.`))),
    decoded: <A>(schema: Schema.Codec<A, unknown>, reply: Reply) =>
      reply.status === 200
        ? Effect.mapError(Schema.decodeUnknownEffect(schema)(reply.body), () =>
            unavailable(`${name} answered what cannot be read.`)
          )
        : Effect.fail(failed(reply))
  }
})
