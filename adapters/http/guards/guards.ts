/**
 * Puts the guards around a node server. Each stands alone and can be left out, so that each can be tried
 * alone; what they found is counted.
 */
import { createServer, type Server, type ServerOptions } from "node:http"
import { Effect, Metric } from "effect"
import * as Connections from "./connections.ts"
import * as Door from "./door.ts"
import * as InOrder from "./in-order.ts"
import * as Intake from "./intake.ts"
import * as Lines from "./lines.ts"
import type { Objection } from "./room.ts"
import * as SlowReaders from "./slow-readers.ts"
import * as Stopping from "./stopping.ts"
import * as UnsentBytes from "./unsent-bytes.ts"

/** What is left out of each stands as by default; `off` leaves the guard out. */
export interface Options {
  readonly connections?: Partial<Connections.Bounds> | "off" | undefined
  readonly inOrder?: Partial<InOrder.Bounds> | "off" | undefined
  readonly door?: Partial<Door.Bounds> | "off" | undefined
  readonly slowReaders?: Partial<SlowReaders.Patience> | "off" | undefined
  readonly unsentBytes?: Partial<UnsentBytes.Bounds> | "off" | undefined
  /** How long a connection that waits for nothing is kept; 20 s when left out, and 75 s behind proxies. */
  readonly keepAliveMs?: number | undefined
}

const cuts = (reason: string) =>
  Metric.counter("http_connections_cut_total", {
    description: "Connections that the server closed, by reason.",
    attributes: { reason },
    incremental: true
  })

const tell = (reason: string) => Effect.runSync(Metric.update(cuts(reason), 1))

const openConnections = Metric.gauge("http_connections", {
  description: "Open connections."
})

const unsent = Metric.gauge("http_unsent_bytes", {
  description: "Response bytes that clients have not read yet."
})

const figuresMs = 1_000

const keepFigures = (server: Server, lines: Lines.Lines, counted: () => number) =>
  server.once("listening", () => {
    const timer = setInterval(() => {
      Effect.runSync(Metric.update(openConnections, lines.all.size))
      Effect.runSync(Metric.update(unsent, counted()))
    }, figuresMs).unref()
    server.once("close", () => clearInterval(timer))
  })

const never = () => false

export interface Guarded {
  readonly server: Server
  readonly room: Objection
  readonly intake: Intake.Intake["Service"]
  /** Whether newcomers are being accepted. */
  readonly isArriving: () => boolean
}

/** A server with its guards. */
export const guarded = (
  serverOptions: ServerOptions,
  options: Options,
  nowMs: () => number
): Guarded => {
  const { handedBytes, ServerResponse } = Lines.counting()
  const server = createServer({ ...serverOptions, ServerResponse })
  const lines = Lines.follow(server, handedBytes)
  const { connections = {}, door = {}, inOrder = {}, slowReaders = {}, unsentBytes = {} } = options
  const places =
    connections === "off"
      ? undefined
      : Connections.bound(
          server,
          lines,
          { ...Connections.defaults, ...connections },
          { nowMs, tell }
        )
  const bytes =
    unsentBytes === "off"
      ? undefined
      : UnsentBytes.bound(lines, { ...UnsentBytes.defaults(), ...unsentBytes }, nowMs)
  if (slowReaders !== "off") {
    const isPressed = () => (places?.isPressed ?? never)() || (bytes?.isPressed ?? never)()
    SlowReaders.cut(
      server,
      lines,
      { ...SlowReaders.defaults, ...slowReaders },
      { nowMs, isPressed, tell }
    )
  }
  // Requests in order stand before it: what waits behind an answer is not handed over yet.
  const stopping = Stopping.bound(server, lines)
  const intake = Intake.bound(server, (request, answer) => {
    lines.enter(request, answer)
    stopping.enter(answer)
  })
  const order =
    inOrder === "off" ? undefined : InOrder.bound(server, { ...InOrder.defaults, ...inOrder })
  const newcomers =
    door === "off" ? undefined : Door.bound(server, { ...Door.defaults, ...door }, nowMs)
  keepFigures(server, lines, bytes?.counted ?? (() => 0))
  return {
    server,
    intake,
    isArriving: newcomers?.isBusy ?? never,
    room: (request) =>
      order?.isTooFar(request) === true
        ? UnsentBytes.ofThisConnection()
        : bytes?.violation(request.socket)
  }
}
