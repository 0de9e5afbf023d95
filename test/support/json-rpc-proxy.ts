/**
 * A proxy between a client and its JSON-RPC node. It passes batches on as they are until a test tells
 * it to answer otherwise: to leave things out, to refuse, to be silent, to hang up. A call by itself is a batch of one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

export interface Asked {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Answered {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export type Reply =
  | ReadonlyArray<Answered>
  | { readonly status: number; readonly body: string }
  | "silence"
  | "hang up"

/** What to answer to a batch; `pass` asks the node. */
export type Tampering = (
  asked: ReadonlyArray<Asked>,
  pass: (asked: ReadonlyArray<Asked>) => Promise<ReadonlyArray<Answered>>
) => Promise<Reply> | Reply

export interface Proxied {
  readonly rpcUrl: string
  /** How it answers from now on; nothing lets everything pass. */
  readonly tamper: (tampering?: Tampering) => Effect.Effect<void>
  /** The batches asked so far. */
  readonly asked: () => ReadonlyArray<ReadonlyArray<Asked>>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const send = (response: ServerResponse, reply: Reply, isBatch: boolean): void => {
  if (reply === "silence") return
  if (reply === "hang up") {
    response.destroy()
  } else if ("status" in reply) {
    response.writeHead(reply.status).end(reply.body)
  } else {
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(isBatch ? reply : (reply as ReadonlyArray<Answered>)[0]))
  }
}

/** Stands between a client and the node, on loopback, until the scope ends. */
export const between = Effect.fnUntraced(function* (nodeUrl: string) {
  const letPass: Tampering = (asked, pass) => pass(asked)
  let tampering = letPass
  const batches: Array<ReadonlyArray<Asked>> = []

  const pass = async (
    asked: ReadonlyArray<Asked>,
    isBatch: boolean
  ): Promise<ReadonlyArray<Answered>> => {
    const calls = asked.map((call) => ({ jsonrpc: "2.0", ...call }))
    const headers = { "content-type": "application/json" }
    const answer = await fetch(nodeUrl, {
      method: "POST",
      headers,
      body: JSON.stringify(isBatch ? calls : calls[0])
    })
    const told = (await answer.json()) as ReadonlyArray<Answered> | Answered
    return [told].flat() as ReadonlyArray<Answered>
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const said = JSON.parse(await bodyOf(request)) as ReadonlyArray<Asked> | Asked
    const isBatch = Array.isArray(said)
    const asked = [said].flat() as ReadonlyArray<Asked>
    batches.push(asked)
    const reply = await tampering(asked, (some) => pass(some, isBatch))
    send(response, reply, isBatch)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    tamper: (next = letPass) =>
      Effect.sync(() => {
        tampering = next
      }),
    asked: () => batches
  } satisfies Proxied
})
