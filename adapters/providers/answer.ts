/**
 * One GET of a provider's JSON, bounded in time and in size. Nothing is followed or decompressed, and a
 * failure never repeats the address, which may carry a key.
 */
import { Data, Effect } from "effect"
import { Agent, type Dispatcher, request } from "undici"

export class Unanswered extends Data.TaggedError("Unanswered")<{
  readonly reason: "unreachable" | "status" | "too_large" | "not_json"
}> {}

export interface Bounds {
  /** For connecting, asking and the whole answer together. */
  readonly deadlineMs: number
  readonly maxBytes: number
}

/** Kept-alive connections to one provider, closed with the scope. */
export const agent = Effect.acquireRelease(
  Effect.sync(
    () =>
      new Agent({
        connections: 2,
        pipelining: 1,
        allowH2: false,
        maxHeaderSize: 8192,
        connect: { timeout: 3000 }
      })
  ),
  (opened) => Effect.promise(() => opened.destroy())
)

const text = async (body: Dispatcher.ResponseData["body"], maxBytes: number): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Unanswered({ reason: "too_large" })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw new Unanswered({ reason: "not_json" })
  }
}

/** The answer as JSON has it, nothing checked. */
export const get = (
  dispatcher: Dispatcher,
  url: string,
  { deadlineMs, maxBytes }: Bounds
): Effect.Effect<unknown, Unanswered> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(deadlineMs)])
      const headers = { accept: "application/json" }
      const { statusCode, body } = await request(url, { dispatcher, headers, signal })
      if (statusCode === 200) return parsed(await text(body, maxBytes))
      await body.dump({ limit: 16_384 })
      throw new Unanswered({ reason: "status" })
    },
    catch: (thrown) =>
      thrown instanceof Unanswered ? thrown : new Unanswered({ reason: "unreachable" })
  })
