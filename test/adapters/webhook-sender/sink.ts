/** A web server on loopback that answers as a test says and remembers what reached it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import { Effect } from "effect"

export interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
  /** The name the client asked for in its TLS greeting. */
  readonly servername: string | false | null | undefined
}

export type Respond = (response: ServerResponse, path: string) => void

export interface Options {
  readonly host: string
  readonly port?: number
  readonly certificate?: { readonly key: string; readonly cert: string }
  readonly respond?: Respond
}

const ok: Respond = (response) => response.end("ok")

/** Listens until the scope closes; connections that are still open are cut then. Fails where the port is taken. */
export const openAt = Effect.fnUntraced(function* (options: Options) {
  const received: Array<Received> = []
  let connections = 0

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = request.url ?? ""
      received.push({
        path,
        headers: request.headers,
        body: Buffer.concat(chunks),
        servername: (request.socket as Partial<TLSSocket>).servername
      })
      const respond = options.respond ?? ok
      respond(response, path)
    })
  }

  const server =
    options.certificate === undefined
      ? createServer(take).on("connection", () => connections++)
      : createTlsServer({ ...options.certificate }, take).on(
          "secureConnection",
          () => connections++
        )
  yield* Effect.acquireRelease(
    Effect.callback<void, Error>((resume) => {
      server.once("error", (cause) => resume(Effect.fail(cause)))
      server.listen(options.port ?? 0, options.host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // Listening on TCP, its address is an object.
  const { port } = server.address() as AddressInfo
  return { port, received, connections: () => connections }
})

/** The same at a port of its own. */
export const open = (options: Omit<Options, "port">) => Effect.orDie(openAt(options))

export type Sink = Effect.Success<ReturnType<typeof open>>
