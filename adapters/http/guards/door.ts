/**
 * Lets connections in one client after the other, as fast as the event loop keeps up: what waits before the
 * door is not read, and costs little. While many come, work gives way to accepting them, as one turn of the
 * event loop accepts one connection. So a client that comes alone does not wait behind a crowd.
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
  /** At most so long nothing else is begun while newcomers are accepted and let in; then work goes on as long. */
  readonly maxAcceptMs: number
  /** And for at least this long. */
  readonly minWorkMs: number
  /** A connection that was not let in within this is reset. */
  readonly maxWaitMs: number
}

export const defaults: Bounds = {
  maxAtOnce: 64,
  minAtOnce: 4,
  maxTurnMs: 10,
  maxAcceptMs: 50,
  minWorkMs: 5,
  maxWaitMs: 5_000
}

export interface Door {
  /** Whether newcomers are being accepted, so that work is not begun now. */
  readonly isBusy: () => boolean
}

/** Two turns in a row that each brought somebody begin a time in which nothing else is begun. */
const accepting = (
  { maxAcceptMs, minWorkMs }: Bounds,
  nowMs: () => number,
  isAnybodyNew: () => boolean
) => {
  let came = 0
  let row = 0
  let sinceMs: number | undefined
  let workUntilMs = Number.NEGATIVE_INFINITY
  return {
    arrive: () => {
      came += 1
    },
    isBusy: () => sinceMs !== undefined,
    /** A turn is over. Whether anybody came in it. */
    turn: () => {
      const atMs = nowMs()
      row = came === 0 ? 0 : row + 1
      came = 0
      if (sinceMs === undefined) {
        if (row > 1 && atMs >= workUntilMs) sinceMs = atMs
      } else if ((row === 0 && !isAnybodyNew()) || atMs - sinceMs >= maxAcceptMs) {
        workUntilMs = atMs + Math.max(minWorkMs, atMs - sinceMs)
        sinceMs = undefined
      }
      return row > 0
    }
  }
}

/** Stands before everything else that a server does with a connection, but for counting it. */
export const bound = (server: Server, bounds: Bounds, nowMs: () => number): Door => {
  const { maxAtOnce, maxTurnMs, minAtOnce } = bounds
  const queue = FairQueue.make(bounds.maxWaitMs)
  const arrivals = accepting(bounds, nowMs, () => queue.newcomers() > 0)
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
    const mayMore = arrivals.turn()
    // Accepting goes first, then letting in, then all else.
    const most = mayMore && arrivals.isBusy() ? 0 : atOnce
    for (let count = 0; count < most && queue.size() > 0; count++) queue.next()?.begin()
    if (mayMore || arrivals.isBusy() || queue.size() > 0) begin()
  }

  // What a server of node's own does with a connection is its first listener.
  const [serve] = server.listeners("connection")
  if (serve === undefined) return arrivals
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
    arrivals.arrive()
    if (turn === undefined) begin()
  })
  return arrivals
}
