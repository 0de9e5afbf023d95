/** Clients that send and then read as slowly as a test wants: not at all, a little now and then, or all of it. */
import { connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"

export interface SlowClient {
  readonly socket: Socket
  /** Once the connection is gone. */
  readonly closed: Promise<void>
  readonly isClosed: () => boolean
  /** What it has read so far. */
  readonly read: () => string
  /** Takes at most so many bytes that have come. */
  readonly take: (bytes: number) => number
  /** Reads whatever comes from now on. */
  readonly readOn: () => void
  readonly close: () => void
}

export interface Place {
  readonly port: number
  /** Which of this machine's own addresses it comes from. */
  readonly from?: string
}

/**
 * Opens a connection, sends, and reads nothing. A system tells nobody who does not read that a connection
 * is gone, so it reads nothing only as far as its own few kilobytes of buffer.
 */
export const open = ({ from, port }: Place, text: string): SlowClient => {
  let isClosed = false
  let read = ""
  const socket = connect({
    host: "127.0.0.1",
    port,
    ...(from === undefined ? {} : { localAddress: from })
  })
  socket.write(text)
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true
      resolve()
    })
  })
  socket.on("error", () => undefined)
  socket.pause()
  return {
    socket,
    closed,
    isClosed: () => isClosed,
    read: () => read,
    take: (bytes) => {
      const chunk: Buffer | null = socket.read(bytes) ?? socket.read()
      read += chunk?.toString("latin1") ?? ""
      return chunk?.byteLength ?? 0
    },
    readOn: () => {
      socket.on("data", (chunk: Buffer) => {
        read += chunk.toString("latin1")
      })
      socket.resume()
    },
    close: () => socket.destroy()
  }
}

/** A request as it stands on the line. */
export const request = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string
): string =>
  [
    `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`]),
    "",
    body ?? ""
  ].join("\r\n")

/** Whether it comes to be so in time. */
export const eventually = async (isSo: () => boolean, withinMs: number): Promise<boolean> => {
  const endsAt = performance.now() + withinMs
  while (!isSo() && performance.now() < endsAt) await setTimeout(20)
  return isSo()
}
