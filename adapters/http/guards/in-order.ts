/**
 * Begins the requests of a connection one after the other: what a client sends ahead of an answer waits until
 * that answer has left. So who does not read its answers has no more work done for it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

export interface Bounds {
  /** How many requests a client may send ahead of its answers; the next one is refused. */
  readonly maxAhead: number
}

export const defaults: Bounds = { maxAhead: 4 }

export interface InOrder {
  /** Whether its client had sent too much ahead of it. */
  readonly isTooFar: (request: IncomingMessage) => boolean
}

type Begin = () => void

/** Of a connection with an answer under way: what waits behind it. */
const behind = Symbol("behind")

type Queued = Socket & { [behind]?: Array<Begin> | undefined }

/** Stands before every listener a server has, or will have, for requests. */
export const bound = (server: Server, { maxAhead }: Bounds): InOrder => {
  const tooFar = new WeakSet<IncomingMessage>()
  const emit = server.emit.bind(server) as (event: string, ...facts: Array<unknown>) => boolean

  const began = ({ socket }: IncomingMessage, answer: ServerResponse) =>
    answer.on("close", () => {
      const next = (socket as Queued)[behind]?.shift()
      // On a connection that has ended with this answer no other could leave.
      const isOver = socket.destroyed || socket.writableEnded
      if (next === undefined || isOver) (socket as Queued)[behind] = undefined
      else next()
    })

  const arrive = (event: string, request: IncomingMessage, answer: ServerResponse) => {
    const begin = () => {
      began(request, answer)
      emit(event, request, answer)
    }
    const socket: Queued = request.socket
    const waiting = socket[behind]
    if (waiting === undefined) {
      socket[behind] = []
      return begin()
    }
    // The refusal closes the connection, so nothing after it is ever answered.
    if (waiting.length > maxAhead) return
    if (waiting.length === maxAhead) tooFar.add(request)
    waiting.push(begin)
  }

  const arriving = (event: string, ...facts: Array<unknown>) => {
    if (event !== "request" && event !== "checkContinue") return emit(event, ...facts)
    const [request, answer] = facts as [IncomingMessage, ServerResponse]
    arrive(event, request, answer)
    return true
  }
  server.emit = arriving as Server["emit"]
  return { isTooFar: (request) => tooFar.has(request) }
}
