/**
 * The node server under the surfaces, bounded against slow, large and endless clients and against those
 * who do not read. It finishes what is in flight before it stops, and says plainly when its port is taken.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Data, Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Guards from "./guards/guards.ts"
import { Intake } from "./guards/intake.ts"
import { Arriving, Room, StreamLife } from "./guards/room.ts"
import * as SlowReaders from "./guards/slow-readers.ts"
import * as Tenure from "./tenure.ts"
import "./ticks.ts"

export class PortTaken extends Data.TaggedError("PortTaken")<{
  readonly port: number
  readonly host: string
}> {
  override get message() {
    return `Port ${this.port} on ${this.host} is in use; stop the process that uses it or choose another port.`
  }
}

export interface Options {
  /** 0 takes any free port. */
  readonly port: number
  /** `127.0.0.1` keeps it on this machine. */
  readonly host?: string
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  /** How long requests in flight may take to finish once it stops. */
  readonly gracefulShutdownMs?: number
  readonly guards?: Guards.Options
}

/** Beyond this many, a kept-alive connection is closed: no client holds one for ever. */
const maxRequestsPerSocket = 10_000

/** Who comes while the system's queue is full tries again only after a second, and then after two and four. */
const maxUnaccepted = 4_096

/**
 * A client whose loop stands still, as one that compiles the schemas of all tools, writes into a connection that was
 * closed meanwhile. Idle ones make room where places are few; proxies keep theirs for a minute.
 */
const keepAliveMs = ({ guards }: Options): number => {
  if (guards?.keepAliveMs !== undefined) return guards.keepAliveMs
  const connections = guards?.connections
  const isBehindProxy =
    connections !== undefined &&
    connections !== "off" &&
    "maxPerClient" in connections &&
    connections.maxPerClient === undefined
  return isBehindProxy ? 75_000 : 20_000
}

const boundedServer = (options: Options, nowMs: () => number) => {
  const requestTimeout = options.requestTimeoutMs ?? 30_000
  const headersTimeout = Math.min(options.headersTimeoutMs ?? 10_000, requestTimeout)
  const made = Guards.guarded(
    {
      headersTimeout,
      requestTimeout,
      // Node looks at its timeouts only this often.
      connectionsCheckingInterval: Math.min(1_000, headersTimeout),
      maxHeaderSize: 16 * 1024,
      keepAliveTimeout: keepAliveMs(options),
      // No other protocol is served, and a connection given over to one would escape all that is bounded.
      shouldUpgradeCallback: () => false
    },
    options.guards ?? {},
    nowMs
  )
  made.server.maxRequestsPerSocket = maxRequestsPerSocket
  made.server.once("listening", Tenure.makeNothingOld)
  made.server.once("listening", Tenure.letHeapGrow)
  return made
}

const streamLife = ({ guards }: Options): Duration.Duration => {
  const slowReaders = guards?.slowReaders
  if (slowReaders === "off") return Duration.infinity
  return Duration.millis(slowReaders?.streamMs ?? SlowReaders.defaults.streamMs)
}

const isTaken = (cause: unknown) =>
  cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE"

const listening = (options: Options, { intake, isArriving, room, server }: Guards.Guarded) => {
  const host = options.host ?? "127.0.0.1"
  return NodeHttpServer.layerServer(() => server, {
    port: options.port,
    host,
    backlog: maxUnaccepted,
    gracefulShutdownTimeout: Duration.millis(options.gracefulShutdownMs ?? 5_000)
  }).pipe(
    Layer.catch((error) =>
      Layer.effect(
        HttpServer.HttpServer,
        isTaken(error.cause)
          ? Effect.fail(new PortTaken({ port: options.port, host }))
          : Effect.die(error)
      )
    ),
    Layer.merge(Layer.succeed(Intake, intake)),
    Layer.merge(Layer.succeed(Room, room)),
    Layer.merge(Layer.succeed(Arriving, isArriving)),
    Layer.merge(Layer.succeed(StreamLife, streamLife(options)))
  )
}

/** A server that listens; any reason but a taken port that it cannot is a defect. */
export const layer = (options: Options): Layer.Layer<HttpServer.HttpServer | Intake, PortTaken> =>
  Layer.unwrap(
    Effect.map(Clock.Clock, (clock) => {
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000
      return listening(options, boundedServer(options, nowMs))
    })
  )
