/**
 * Bounds what waits to be sent, in each connection and in all of them. Past a bound, new work is refused
 * before it is done; what is under way goes on.
 */
import type { Socket } from "node:net"
import { getHeapStatistics } from "node:v8"
import { Overloaded } from "../refusals.ts"
import { type Line, type Lines, ownWaitingBytes, waitingBytes } from "./lines.ts"

export interface Bounds {
  readonly maxBytes: number
  readonly maxBytesPerConnection: number
}

const mebibyte = 1024 * 1024

/** What answers that wait may take of the memory there is. */
export const maxOfHeap = (): number => Math.floor(getHeapStatistics().heap_size_limit / 4)

export const defaults = (): Bounds => ({
  maxBytes: Math.min(256 * mebibyte, maxOfHeap()),
  maxBytesPerConnection: mebibyte
})

/** How often everything may be counted anew. */
const recountMs = 50

export interface UnsentBytes {
  /** Why a request that came over this connection is not begun, if it is not. */
  readonly violation: (socket: Socket) => Overloaded | undefined
  /** Whether three quarters of the bound are taken. */
  readonly isPressed: () => boolean
  /** Bytes no answer shares, as of the last count. */
  readonly counted: () => number
}

export const ofThisConnection = () =>
  new Overloaded({
    message:
      "Too many responses are unread on this connection. Read them, then open another connection and try again.",
    details: { retryAfterSeconds: 1 }
  })

const ofAll = () =>
  new Overloaded({
    message: "Too many responses are not yet read by their clients. Try again in 5 seconds.",
    details: { retryAfterSeconds: 5 }
  })

export const bound = (lines: Lines, bounds: Bounds, nowMs: () => number): UnsentBytes => {
  let countedBytes = 0
  let handedThen = 0
  let countedAtMs = Number.NEGATIVE_INFINITY
  const count = () => {
    countedBytes = 0
    for (const line of lines.all.values()) countedBytes += ownWaitingBytes(line)
    handedThen = lines.handedBytes()
    countedAtMs = nowMs()
  }
  // Whatever answers were given since the last count may still wait; most of it never does.
  const atWorst = () => countedBytes + lines.handedBytes() - handedThen
  const isAbove = (bytes: number) => {
    if (atWorst() < bytes) return false
    if (nowMs() - countedAtMs >= recountMs) count()
    return atWorst() >= bytes
  }
  const isFull = (line: Line) => waitingBytes(line) >= bounds.maxBytesPerConnection
  return {
    violation: (socket) => {
      const line = lines.all.get(socket)
      if (line !== undefined && isFull(line)) return ofThisConnection()
      return isAbove(bounds.maxBytes) ? ofAll() : undefined
    },
    isPressed: () => isAbove(bounds.maxBytes * 0.75),
    counted: () => {
      count()
      return countedBytes
    }
  }
}
