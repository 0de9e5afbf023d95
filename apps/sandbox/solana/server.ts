/**
 * The local Solana's door: JSON-RPC over HTTP, alone or in batches, and over WebSocket on the same port, on loopback
 * only. A test may make it hang up, or lose what it answers.
 */
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { WebSocketServer } from "ws"
import { ChainNotStarted } from "../chain-not-started.ts"
import { accountMethods, slotMethods } from "./account-methods.ts"
import type { Front } from "./front.ts"
import { RpcError, unknownMethod } from "./rpc-error.ts"
import { subscriptions } from "./subscriptions.ts"
import { transactionMethods } from "./transaction-methods.ts"

/** What becomes of a call: undefined answers it. */
export type Fault = (
  method: string,
  params: ReadonlyArray<unknown>
) => "hang up" | "lose the answer" | undefined

export interface Serving {
  readonly front: Front
  /** Gives out SOL; the signature of the transaction. */
  readonly airdrop: (to: string, lamports: number) => Promise<string>
  readonly fault: () => Fault | undefined
  /** A free one when it is 0. */
  readonly port: number
}

interface Call {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: ReadonlyArray<unknown>
}

type Method = (...params: ReadonlyArray<never>) => unknown

/** Whole numbers of any size, as a node writes them. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === "bigint"
      ? (JSON as unknown as { readonly rawJSON: (digits: string) => unknown }).rawJSON(String(each))
      : each
  )

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

class HungUp extends Error {}

const methodsOf = ({ airdrop, front }: Serving): Readonly<Record<string, Method>> => ({
  ...slotMethods(front),
  ...accountMethods(front),
  ...transactionMethods(front),
  requestAirdrop: airdrop
})

const failure = (id: unknown, error: unknown) => {
  const { code, message, data } =
    error instanceof RpcError
      ? error
      : { code: -32603, message: `Internal error: ${String(error)}`, data: undefined }
  return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } }
}

const answering = (serving: Serving) => {
  const methods = methodsOf(serving)
  return async (
    { id = null, method, params = [] }: Call,
    first: (method: string, params: ReadonlyArray<unknown>) => unknown = () => undefined
  ) => {
    const name = String(method)
    const fault = serving.fault()?.(name, params)
    if (fault === "hang up") throw new HungUp()
    try {
      const found = Object.hasOwn(methods, name) ? methods[name] : undefined
      const result = first(name, params) ?? (await callOf(found)(...(params as Array<never>)))
      if (fault === "lose the answer") throw new HungUp()
      return { jsonrpc: "2.0", id, result }
    } catch (error) {
      if (error instanceof HungUp) throw error
      return failure(id, error)
    }
  }
}

const callOf = (method: Method | undefined): Method => {
  if (method === undefined) throw unknownMethod
  return method
}

type Answer = ReturnType<typeof answering>

const overHttp = (answer: Answer): Server =>
  createServer((request, response) => {
    const serve = async () => {
      const asked = JSON.parse(await bodyOf(request)) as Call | ReadonlyArray<Call>
      const answers = Array.isArray(asked)
        ? await Promise.all(asked.map((call: Call) => answer(call)))
        : await answer(asked as Call)
      response.writeHead(200, { "content-type": "application/json" }).end(text(answers))
    }
    serve().catch((error) => {
      if (error instanceof SyntaxError) response.writeHead(400).end(text(parseError))
      else response.destroy()
    })
  })

const parseError = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }

const overWebSocket = (server: Server, front: Front, answer: Answer): WebSocketServer => {
  const sockets = new WebSocketServer({ server })
  sockets.on("connection", (socket) => {
    const standing = subscriptions(front, (message) =>
      socket.send(text({ jsonrpc: "2.0", ...message }))
    )
    socket.on("message", (message) => {
      const serve = async () => {
        const call = JSON.parse(String(message)) as Call
        socket.send(text(await answer(call, standing.answer)))
      }
      serve().catch(() => socket.terminate())
    })
    socket.on("close", standing.close)
  })
  // The server's own errors are told by the server.
  sockets.on("error", () => undefined)
  return sockets
}

const listening = (server: Server, port: number) =>
  Effect.callback<void, ChainNotStarted>((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE"
      const reason = isTaken ? "port_taken" : "failed"
      const detail = isTaken ? `port ${port} is taken` : error.message
      resume(Effect.fail(new ChainNotStarted({ reason, detail })))
    })
    server.listen(port, "127.0.0.1", () => resume(Effect.void))
  })

/** Serves until the scope ends; the addresses for calls and for subscriptions. */
export const serve = Effect.fnUntraced(function* (
  serving: Serving
): Effect.fn.Return<{ rpcUrl: string; wsUrl: string }, ChainNotStarted, Scope.Scope> {
  const answer = answering(serving)
  const server = overHttp(answer)
  const sockets = overWebSocket(server, serving.front, answer)
  yield* Effect.acquireRelease(listening(server, serving.port), () =>
    Effect.callback<void>((resume) => {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  const { port } = server.address() as AddressInfo
  return { rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` }
})
