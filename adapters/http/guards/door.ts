/**
 * Lets connections in one client after the other, as fast as the event loop keeps up: what waits before the
 * door is not read, and costs nothing. So a client that comes alone does not wait behind a crowd.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { foldedOf } from "../client-address.ts"
import * as FairQueue from "../fair-queue.ts"

export interface Bounds {
  /** How many are let in at most in one turn of the event loop. */
  readonly maxAtOnce: number
  /** And at least, however late the event loop is. */
  readonly minAtOnce: number
  /** A turn of the event loop that took longer lets in half as many in the next. */
  readonly maxTurnMs: number
}

export const defaults: Bounds = { maxAtOnce: 64, minAtOnce: 16, maxTurnMs: 10 }

/** Stands before everything else that a server does with a connection, but for counting it. */
export const bound = (
  server: Server,
  { maxAtOnce, maxTurnMs, minAtOnce }: Bounds,
  nowMs: () => number
): void => {
  const queue = FairQueue.make()
  let atOnce = maxAtOnce
  let turn: NodeJS.Immediate | undefined
  let beganMs = 0

  const begin = () => {
    beganMs = nowMs()
    turn = setImmediate(advance)
  }

  const advance = () => {
    turn = undefined
    const isLate = nowMs() - beganMs > maxTurnMs
    atOnce = isLate ? Math.max(minAtOnce, Math.floor(atOnce / 2)) : Math.min(maxAtOnce, atOnce * 2)
    for (let count = 0; count < atOnce && queue.size() > 0; count++) queue.next()?.begin()
    if (queue.size() > 0) begin()
  }

  // What a server of node's own does with a connection is its first listener.
  const [serve] = server.listeners("connection")
  if (serve === undefined) return
  server.removeListener("connection", serve as (socket: Socket) => void)
  // A connection is not read before it is resumed.
  Object.assign(server, { pauseOnConnect: true })
  server.on("connection", (socket: Socket) => {
    const client = foldedOf(socket.remoteAddress ?? "unknown")
    const letIn = () => {
      socket.removeListener("close", quit)
      Reflect.apply(serve, server, [socket])
      socket.resume()
    }
    const waiter = { begin: letIn, yieldPlace: () => socket.resetAndDestroy() }
    const quit = () => queue.quit(client, waiter)
    socket.once("close", quit)
    queue.join(client, waiter)
    if (turn === undefined) begin()
  })
}
