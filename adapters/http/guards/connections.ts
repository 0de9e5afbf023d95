/** Bounds the connections of a server: in all, and for each client, so that no single one takes every place. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { foldedOf } from "../client-address.ts"
import type { Lines } from "./lines.ts"

export interface Bounds {
  readonly max: number
  /** Not bounded when left out, as behind a proxy, which is one client. */
  readonly maxPerClient: number | undefined
}

export const defaults: Bounds = { max: 10_000, maxPerClient: 256 }

/** Looking for idle connections costs a look at each. */
const roomMs = 100

/** Closes what is one too many at once. */
export const bound = (
  server: Server,
  lines: Lines,
  { max, maxPerClient }: Bounds,
  options: {
    readonly nowMs: () => number
    readonly tell: (reason: "too_many" | "too_many_of_client") => void
  }
): { readonly isPressed: () => boolean } => {
  const held = new Map<string, number>()
  const count = (client: string, by: 1 | -1) => {
    const now = (held.get(client) ?? 0) + by
    if (now === 0) held.delete(client)
    else held.set(client, now)
    return now
  }
  const isPressed = () => lines.all.size >= max * 0.75
  let madeRoomAtMs = Number.NEGATIVE_INFINITY
  // Whoever is kept alive and waits for nothing makes room for others.
  const makeRoom = () => {
    const atMs = options.nowMs()
    if (!isPressed() || atMs - madeRoomAtMs < roomMs) return
    madeRoomAtMs = atMs
    server.closeIdleConnections()
  }
  server.maxConnections = max
  server.on("drop", () => {
    options.tell("too_many")
    makeRoom()
  })
  server.on("connection", (socket: Socket) => {
    makeRoom()
    if (maxPerClient === undefined) return
    const client = foldedOf(socket.remoteAddress ?? "unknown")
    const now = count(client, 1)
    socket.once("close", () => count(client, -1))
    if (now <= maxPerClient) return
    options.tell("too_many_of_client")
    socket.resetAndDestroy()
  })
  return { isPressed }
}
