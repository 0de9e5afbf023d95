/**
 * One POST of JSON to a node, and the text of its answer: over within its deadline and its size, on connections that are
 * kept. Nothing is followed, and a failure never repeats the node's URL, which often carries a key.
 */
import { type IncomingMessage, request as plain } from "node:http"
import { request as secure } from "node:https"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { Data, Effect, Predicate } from "effect"

export interface Answer {
  readonly status: number
  readonly text: string
}

export class NotAnswered extends Data.TaggedError("NotAnswered")<{
  readonly reason: "unreachable" | "oversized"
  readonly detail: string
}> {}

export interface Bounds {
  readonly timeoutMs: number
  /** Of the answer as it is read, whatever came over the wire. */
  readonly maxBytes: number
}

const headers = {
  "content-type": "application/json",
  accept: "application/json",
  "accept-encoding": "gzip",
  "user-agent": "bursar"
}

const notReached = (cause: unknown): NotAnswered => {
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : "the request failed"
  return new NotAnswered({ reason: "unreachable", detail: code })
}

const isZipped = ({ headers }: IncomingMessage) =>
  /^(?:x-)?gzip$/iu.test(headers["content-encoding"] ?? "")

/** By Node's own client, which takes a quarter of what `fetch` does and is loaded in any case. */
export const post = (
  url: string,
  body: string,
  { maxBytes, timeoutMs }: Bounds
): Effect.Effect<Answer, NotAnswered> =>
  Effect.callback((resume) => {
    const send = url.startsWith("https:") ? secure : plain
    let asked: ReturnType<typeof plain> | undefined
    let reading: Readable | undefined
    const end = (outcome: Effect.Effect<Answer, NotAnswered>) => {
      clearTimeout(deadline)
      resume(outcome)
    }
    const giveUp = () => {
      clearTimeout(deadline)
      asked?.destroy()
      reading?.destroy()
    }
    const fail = (failed: NotAnswered) => {
      end(Effect.fail(failed))
      giveUp()
    }
    // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
    const deadline = setTimeout(() => {
      fail(new NotAnswered({ reason: "unreachable", detail: `no answer within ${timeoutMs} ms` }))
    }, timeoutMs)
    const lost = (cause: unknown) => fail(notReached(cause))
    const read = (response: IncomingMessage) => {
      const { statusCode: status = 0 } = response
      const chunks: Array<Uint8Array> = []
      let bytes = 0
      response.on("error", lost)
      reading = isZipped(response) ? response.pipe(createGunzip()) : response
      reading
        // A refusal says enough by its status, whatever its body is.
        .on("error", (cause) =>
          status >= 400 ? end(Effect.succeed({ status, text: "" })) : lost(cause)
        )
        .on("data", (chunk: Uint8Array) => {
          bytes += chunk.length
          if (bytes <= maxBytes) return void chunks.push(chunk)
          const detail = `the answer exceeds ${maxBytes} bytes`
          fail(new NotAnswered({ reason: "oversized", detail }))
        })
        .on("end", () => {
          end(Effect.succeed({ status, text: Buffer.concat(chunks).toString("utf8") }))
        })
    }
    try {
      asked = send(url, { method: "POST", headers }, read)
      asked
        .on("error", lost)
        .on("close", () => {
          if (reading === undefined) lost(undefined)
        })
        .end(body)
    } catch (thrown) {
      lost(thrown)
    }
    return Effect.sync(giveUp)
  })
