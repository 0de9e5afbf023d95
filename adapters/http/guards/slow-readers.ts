/**
 * Cuts connections whose clients do not read: an answer that makes no progress, one that takes too long in
 * all, and a stream that has lasted long enough. Silence with nothing waiting is never a reason.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { type Line, type Lines, takenBytes } from "./lines.ts"

export interface Patience {
  /** With bytes waiting, a client takes `minBytesPerSecond` on average over this long, or is cut. */
  readonly stalledMs: number
  /** The same, while the server is short of room. */
  readonly pressedMs: number
  readonly minBytesPerSecond: number
  /** An answer is taken whole within this, from its beginning. */
  readonly answerMs: number
  /** A stream ends after this, and is cut when it has not a tenth of it later. */
  readonly streamMs: number
}

export const defaults: Patience = {
  stalledMs: 15_000,
  pressedMs: 3_000,
  minBytesPerSecond: 1024,
  answerMs: 120_000,
  streamMs: 300_000
}

export type Reason = "stalled" | "answer_too_long" | "stream_too_long"

interface Sample {
  readonly atMs: number
  readonly taken: number
}

/** What is remembered of a connection between looks. */
interface Memory {
  /** Since when each answer has been on its way. */
  readonly beganMs: WeakMap<object, number>
  /** While bytes wait: how many had been taken, oldest first. */
  samples: Array<Sample>
}

const grace = 1.1

const maxLooksPerWindow = 20

const isStalled = (memory: Memory, now: Sample, windowMs: number, minBytesPerSecond: number) => {
  const since = memory.samples.findLast(({ atMs }) => now.atMs - atMs >= windowMs)
  if (since === undefined) return false
  const seconds = (now.atMs - since.atMs) / 1000
  return now.taken - since.taken < minBytesPerSecond * seconds
}

const overdue = (line: Line, memory: Memory, atMs: number, patience: Patience) => {
  for (const answer of line.open) {
    // Time spent before an answer begins is the server's own, and behind another one that one's.
    if (!answer.headersSent || answer.socket === null) continue
    const beganMs = memory.beganMs.get(answer)
    if (beganMs === undefined) memory.beganMs.set(answer, atMs)
    else if (answer.writableEnded) {
      if (atMs - beganMs > patience.answerMs) return "answer_too_long"
    } else if (atMs - beganMs > patience.streamMs * grace) return "stream_too_long"
  }
  return undefined
}

const look = (line: Line, memory: Memory, atMs: number, patience: Patience, isPressed: boolean) => {
  if (line.socket.writableLength === 0) memory.samples = []
  else {
    const now = { atMs, taken: takenBytes(line.socket) }
    const windowMs = isPressed
      ? Math.min(patience.pressedMs, patience.stalledMs)
      : patience.stalledMs
    if (isStalled(memory, now, windowMs, patience.minBytesPerSecond)) return "stalled"
    memory.samples.push(now)
    const enough = memory.samples.findIndex(({ atMs: then }) => atMs - then < patience.stalledMs)
    if (enough > 1) memory.samples.splice(0, enough - 1)
  }
  return overdue(line, memory, atMs, patience)
}

/** Looks at every connection now and then, for as long as the server listens. */
export const cut = (
  server: Server,
  lines: Lines,
  patience: Patience,
  options: {
    readonly nowMs: () => number
    readonly isPressed: () => boolean
    readonly tell: (reason: Reason) => void
  }
): void => {
  const memories = new WeakMap<Socket, Memory>()
  const sweep = () => {
    const atMs = options.nowMs()
    const isPressed = options.isPressed()
    for (const line of lines.all.values()) {
      let memory = memories.get(line.socket)
      if (memory === undefined) {
        if (line.open.size === 0 && line.socket.writableLength === 0) continue
        memory = { beganMs: new WeakMap(), samples: [] }
        memories.set(line.socket, memory)
      }
      const reason = look(line, memory, atMs, patience, isPressed)
      if (reason === undefined) continue
      options.tell(reason)
      // A reset frees what the system holds for it too.
      line.socket.resetAndDestroy()
    }
  }
  const everyMs = Math.min(1_000, patience.stalledMs / maxLooksPerWindow)
  server.once("listening", () => {
    const timer = setInterval(sweep, everyMs).unref()
    server.once("close", () => clearInterval(timer))
  })
}
