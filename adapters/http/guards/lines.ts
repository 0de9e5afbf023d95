/**
 * The connections of a server, and what waits in each of them to be sent. Whoever bounds connections asks
 * here, so there is one account of a connection and one way to read how far its client is.
 */
import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Present from "../present.ts"

/** Bytes that all answers point at: a client that leaves them waiting costs no memory for them. */
const shared = new WeakSet<object>()

/** Marks bytes that are kept for good and sent as they are, again and again. */
export const share = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
  shared.add(bytes)
  return bytes
}

export interface Line {
  readonly socket: Socket
  /** The answers begun or owed on it; more than one when its client sends ahead. */
  readonly open: Present.Present<TrackedResponse>
}

/** An answer, as far as bytes go. */
export interface TrackedResponse extends ServerResponse {
  /** How many bytes of it are shared ones. */
  readonly sharedBytes: number
}

export interface Lines {
  readonly all: ReadonlyMap<Socket, Line>
  /** Bytes of their own that answers have been given since the server started. */
  readonly handedBytes: () => number
}

export interface Counting {
  /** The class a server makes its answers of. */
  readonly ServerResponse: typeof ServerResponse
  readonly handedBytes: () => number
}

/** What a server writes its answers with, counted. */
export const counting = (): Counting => {
  let handed = 0
  class Counted<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    sharedBytes = 0
    #count(chunk: unknown) {
      if (typeof chunk === "string") handed += chunk.length
      else if (chunk instanceof Uint8Array) {
        if (shared.has(chunk)) this.sharedBytes += chunk.byteLength
        else handed += chunk.byteLength
      }
    }
    override write(chunk: unknown, ...rest: ReadonlyArray<unknown>): boolean {
      this.#count(chunk)
      return Reflect.apply(super.write, this, [chunk, ...rest])
    }
    override end(chunk?: unknown, ...rest: ReadonlyArray<unknown>): this {
      this.#count(chunk)
      return Reflect.apply(super.end, this, [chunk, ...rest])
    }
  }
  return { ServerResponse: Counted, handedBytes: () => handed }
}

/**
 * Follows the connections of a server whose answers are counted. `enter` is told of each request that is handed over,
 * whoever answers it.
 */
export const follow = (
  server: Server,
  handedBytes: () => number
): Lines & {
  readonly enter: (request: IncomingMessage, answer: ServerResponse) => void
} => {
  const all = new Map<Socket, Line>()
  server.prependListener("connection", (socket: Socket) => {
    all.set(socket, { socket, open: Present.make() })
    socket.once("close", () => all.delete(socket))
  })
  const enter = ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const line = all.get(socket)
    if (line === undefined) return
    // The server below makes all its answers by `counting`.
    answer.on("close", line.open.enter(answer as TrackedResponse))
  }
  return { all, handedBytes, enter }
}

/** Bytes of a connection that its process holds: in the socket, and in answers behind the first. */
export const waitingBytes = ({ open, socket }: Line): number => {
  let bytes = socket.writableLength
  for (const answer of open) if (answer.socket === null) bytes += answer.writableLength
  return bytes
}

/** Those of them that nothing else holds. */
export const ownWaitingBytes = (line: Line): number => {
  const bytes = waitingBytes(line)
  if (bytes === 0) return 0
  let sharedBytes = 0
  for (const { sharedBytes: of } of line.open) sharedBytes += of
  return Math.max(0, bytes - sharedBytes)
}

interface Handle {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/**
 * How many bytes the system has taken from a connection so far. Node counts a chunk as waiting until the
 * last of its bytes has left, so by its public figures a slow reader of one large chunk stands still.
 */
export const takenBytes = (socket: Socket): number => {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null }
  return typeof handle?.bytesWritten === "number" && typeof handle.writeQueueSize === "number"
    ? handle.bytesWritten - handle.writeQueueSize
    : socket.bytesWritten - socket.writableLength
}
