/**
 * One GET of a provider's JSON, bounded in time and in size. Nothing is followed or decompressed, and a
 * failure never repeats the address, which may carry a key.
 */
import { Data, Effect } from "effect"
import type { Agent, Dispatcher } from "undici"
import { telling } from "../../core/ports/telling.ts"
import { loadOnce } from "../loading/load-once.ts"

export class Unanswered extends Data.TaggedError("Unanswered")<{
  readonly reason: "unreachable" | "status" | "limited" | "too_large" | "not_json"
  /** What it answered with, where that was no success. */
  readonly status?: number
  /** How long the provider asks to be left alone; only where it said so. */
  readonly retryAfterMs?: number
}> {}

export interface Bounds {
  /** For connecting, asking and the whole answer together. */
  readonly deadlineMs: number
  readonly maxBytes: number
  /** Beside `accept`; may carry a key. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Kept-alive connections to one provider, opened when it is first asked. */
export type Connections = () => Promise<Agent>

const opened = async (): Promise<Agent> => {
  // Brought in here, so that a start does without.
  const { Agent } = await import("undici")
  return new Agent({
    connections: 2,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: 8192,
    connect: { timeout: 3000 }
  })
}

/** They are closed with the scope. */
export const connections = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => loadOnce(opened)),
    ({ current }) => Effect.promise(async () => (await current())?.destroy())
  ),
  ({ get }): Connections => get
)

/** The bytes as they come, until there are too many of them. */
async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Unanswered({ reason: "too_large" })
    yield chunk
  }
}

const text = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Array<Uint8Array> = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString("utf8")
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw new Unanswered({ reason: "not_json" })
  }
}

/** A provider may ask for patience, but not for so much that it is never asked again. */
const longestRestMs = 300_000

const refused = ({ headers, statusCode }: Dispatcher.ResponseData): Unanswered => {
  if (statusCode !== 429) return new Unanswered({ reason: "status", status: statusCode })
  const seconds = Number(headers["retry-after"])
  return Number.isFinite(seconds) && seconds > 0
    ? new Unanswered({
        reason: "limited",
        retryAfterMs: Math.min(longestRestMs, Math.ceil(seconds * 1000))
      })
    : new Unanswered({ reason: "limited" })
}

/** Reads an answer as its bytes come. What `read` throws is taken for a lost connection unless it is `Unanswered`, or a mistake of our own. */
export const stream = <A>(
  connections: Connections,
  url: string,
  { deadlineMs, headers = {}, maxBytes }: Bounds,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<A>
): Effect.Effect<A, Unanswered> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      const agent = await connections()
      // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(deadlineMs)])
      const accept = { accept: "application/json" }
      const { origin, pathname, search } = new URL(url)
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method: "GET",
        headers: { ...accept, ...headers },
        signal
      })
      if (answer.statusCode === 200) return await read(bounded(answer.body, maxBytes))
      await answer.body.dump({ limit: 16_384 })
      throw refused(answer)
    },
    catch: (thrown) => thrown
  }).pipe(
    telling((thrown) =>
      thrown instanceof Unanswered ? thrown : new Unanswered({ reason: "unreachable" })
    )
  )

/** The answer as JSON has it, nothing checked. */
export const get = (
  connections: Connections,
  url: string,
  bounds: Bounds
): Effect.Effect<unknown, Unanswered> =>
  stream(connections, url, bounds, async (chunks) => parsed(await text(chunks)))
