/**
 * Requests and answers of node's own: reads a body of bounded size once, writes a reply, and takes no more of a
 * body than it must once the answer has left.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, Exit } from "effect"
import { InvalidRequest } from "../../../core/operation/refusal.ts"
import * as Body from "../reading/body.ts"
import { type PayloadTooLarge, tooLarge } from "../refusals.ts"
import type { Reply, Request } from "./exchange.ts"

type Read = Exit.Exit<Uint8Array, InvalidRequest | PayloadTooLarge>

const endedEarly = () => new InvalidRequest({ message: "The body ended early; send it again." })

/** Listens until the body is whole, is too large or ends early. */
const listen = (incoming: IncomingMessage, maxBytes: number, done: (read: Read) => void) => {
  const chunks: Array<Buffer> = []
  let size = 0
  const stop = (read: Read) => {
    incoming.off("data", take).off("end", end).off("close", close).off("error", close)
    done(read)
  }
  const take = (chunk: Buffer) => {
    size += chunk.byteLength
    if (size > maxBytes) return stop(Exit.fail(tooLarge(maxBytes)))
    chunks.push(chunk)
  }
  const end = () => {
    const [only = Buffer.alloc(0), ...more] = chunks
    stop(Exit.succeed(more.length === 0 ? only : Buffer.concat(chunks)))
  }
  const close = () => stop(Exit.fail(endedEarly()))
  incoming.on("data", take).on("end", end).on("close", close).on("error", close)
}

/** A request of node's own. */
export interface Arrived extends Request {
  /** Goes on once a short body is there, or is known to come no more; at once where there is none, or a long one. */
  readonly whenShortIsRead: (goOn: () => void) => void
}

/** Whoever sends no more than this is read before anything waits for it. */
const shortBytes = 16 * 1024

const isShort = ({ headers }: Pick<Request, "headers">): boolean =>
  Number(headers["content-length"] ?? Number.NaN) <= shortBytes

/** One object for each request, and nothing beside it where nobody reads a body. */
class Incoming implements Arrived {
  readonly method: string
  readonly url: string
  readonly headers: Request["headers"]
  readonly #incoming: IncomingMessage
  readonly #answer: ServerResponse
  #known: Read | undefined

  constructor(
    incoming: IncomingMessage,
    answer: ServerResponse,
    { headers, method, url }: Pick<Request, "headers" | "method" | "url">
  ) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#incoming = incoming
    this.#answer = answer
  }

  #read(maxBytes: number, done: (read: Read) => void): void {
    listen(this.#incoming, maxBytes, (read) => {
      this.#known = read
      done(read)
    })
  }

  whenShortIsRead(goOn: () => void): void {
    if (this.headers.expect !== undefined || !isShort(this)) goOn()
    else this.#read(shortBytes, goOn)
  }

  bytes(maxBytes: number): ReturnType<Request["bytes"]> {
    return (
      this.#known ??
      Effect.callback((resume) => {
        if (this.#known !== undefined) return resume(this.#known)
        // Whoever asks first wants to hear that its body is welcome.
        if (this.headers.expect !== undefined) this.#answer.writeContinue()
        this.#read(maxBytes, resume)
      })
    )
  }
}

export const requestOf = (
  incoming: IncomingMessage,
  answer: ServerResponse,
  asked: Pick<Request, "headers" | "method" | "url">
): Arrived => new Incoming(incoming, answer, asked)

/** What a client may still send of a body that nobody reads, before its connection is closed. */
const maxDrainedBytes = 64 * 1024

/** An answer that leaves before the whole request has come leaves the rest of it on the connection. */
const drain = (incoming: IncomingMessage) => {
  let bytes = 0
  incoming.on("data", ({ byteLength }: Buffer) => {
    bytes += byteLength
    if (bytes > maxDrainedBytes) incoming.socket.destroySoon()
  })
  incoming.resume()
}

const sizeOf = (body: Reply["body"]): number =>
  typeof body === "string"
    ? Buffer.byteLength(body)
    : body.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** Names and values in turn, as node writes them; making one object of several costs more. */
export const listed = (headers: Reply["headers"]): ReadonlyArray<string> =>
  Object.entries(headers).flat()

/** Writes a reply, with the id and the list of what every answer carries; a reply has none of them itself. */
export const write = (
  incoming: IncomingMessage,
  answer: ServerResponse,
  { body, headers, status }: Reply,
  requestId: string,
  always: ReadonlyArray<string>
): void => {
  if (answer.destroyed || answer.writableEnded) return
  // Before node's own listener, which would take the rest of the body whatever its size.
  if (!incoming.complete && Body.follows(incoming as Pick<Request, "headers">))
    answer.prependListener("finish", () => drain(incoming))
  const size = sizeOf(body)
  const list = ["content-length", String(size), "x-request-id", requestId]
  for (const name in headers) list.push(name, headers[name] as string)
  for (const said of always) list.push(said)
  answer.writeHead(status, list)
  // Of text that is all ASCII node writes more at once, and without a place made for three bytes a character.
  if (typeof body === "string")
    return void answer.end(body, size === body.length ? "latin1" : "utf8")
  for (const chunk of body) answer.write(chunk)
  answer.end()
}
