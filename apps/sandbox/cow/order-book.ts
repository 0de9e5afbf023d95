/**
 * CoW Protocol on the local chain: an order book on loopback and a solver that settles what it holds. Quotes,
 * orders and refusals are answered in the API's own shapes; a test may change what is asked and answered.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import type { Address } from "../../../adapters/evm/contract.ts"
import * as Anvil from "../anvil.ts"
import { accounts } from "../unlocked.ts"
import * as Book from "./book.ts"
import type { Ledger, Posted } from "./ledger.ts"
import { type Body, readBytes } from "./order.ts"
import * as Solver from "./solver.ts"

export interface Options {
  readonly anvil: Anvil.Anvil
  readonly pool: Address
  /** Time between two looks for what can be settled; null settles only when told to. */
  readonly solveMs?: number | null
}

export type Answering = (body: Body) => Promise<Book.Answer>

/**
 * What a test puts between the book and whoever asks it: it may answer itself, change what is asked or answered,
 * or hang up, which undefined says.
 */
export type Meddler = (
  asked: { readonly method: string; readonly path: string; readonly body: Body },
  answer: Answering
) => Promise<Book.Answer | undefined>

export interface OrderBook {
  /** What stands before `/api/v1`. */
  readonly url: string
  readonly orders: ReadonlyMap<string, Posted>
  /** Settles what can be settled now; how many transactions were sent. */
  readonly solve: Effect.Effect<number>
  /** Settles one order whatever its status; the transaction, or why the contract refuses it. */
  readonly settle: (
    uid: string,
    settling?: Solver.Settling
  ) => Effect.Effect<{ readonly txHash: string } | { readonly refused: string }>
  /** Wipes what the contract counts as filled of an order that is over. */
  readonly wipe: (uid: string) => Effect.Effect<string>
  /** Forgets every order, as a book does that was set up anew. */
  readonly forget: Effect.Effect<void>
  readonly meddle: (meddler?: Meddler) => Effect.Effect<void>
}

const maxBytes = 64 * 1024

const bodyOf = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new SyntaxError("the body is too large")
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? {} : (JSON.parse(text) as Body)
}

const unknownRoute: Book.Answer = {
  status: 404,
  body: { errorType: "NotFound", description: "there is nothing here" }
}

const routing = (ledger: Ledger) => {
  let quotes = 0
  return (method: string, url: URL): Answering => {
    const [, what, uid = ""] =
      /\/api\/v\d\/(quote|orders|trades)(?:\/([^/]+))?$/u.exec(url.pathname) ?? []
    const route = `${method} ${what}`
    if (route === "POST quote") {
      quotes += 1
      const id = quotes
      return (body) => Book.quote(ledger, body, id)
    }
    if (route === "POST orders") return (body) => Book.post(ledger, body)
    if (route === "DELETE orders") return (body) => Book.cancel(ledger, body)
    if (route === "GET orders") return () => Book.find(ledger, uid)
    if (route === "GET trades") {
      return () => Book.trades(ledger, url.searchParams.get("orderUid") ?? "")
    }
    return async () => unknownRoute
  }
}

const answered = async (answering: Answering, body: Body): Promise<Book.Answer> => {
  try {
    return await answering(body)
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    return { status: 400, body: { errorType: "InvalidJson", description: thrown.message } }
  }
}

const serving = (ledger: Ledger, meddler: () => Meddler | undefined) => {
  const routed = routing(ledger)
  return createServer((request, response) => {
    const serve = async () => {
      const { method = "GET" } = request
      const url = new URL(request.url ?? "/", "http://localhost")
      const body = await bodyOf(request)
      const answer = (asked: Body) => answered(routed(method, url), asked)
      const said = await (meddler()?.({ method, path: url.pathname, body }, answer) ?? answer(body))
      if (said === undefined) response.destroy()
      else {
        response
          .writeHead(said.status, { "content-type": "application/json" })
          .end(JSON.stringify(said.body))
      }
    }
    serve().catch((thrown) => {
      if (thrown instanceof SyntaxError) response.writeHead(422).end()
      else response.destroy()
    })
  })
}

const listening = (server: ReturnType<typeof serving>) =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.once("error", (error) => resume(Effect.die(error)))
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Looks again and again while there is an order that may still be settled. */
const solving = (solver: Solver.Solver, milliseconds: number) =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(milliseconds)
      if (solver.ledger.orders.size === 0) continue
      // A node that is busy or away is asked again at the next look.
      yield* Effect.ignore(Effect.tryPromise(() => Solver.solve(solver)))
    }
  })

/** Serves until the scope ends. */
export const open = Effect.fnUntraced(function* ({
  anvil,
  pool,
  solveMs = 500
}: Options): Effect.fn.Return<OrderBook, never, Scope.Scope> {
  const { deployer } = yield* accounts(anvil)
  const ask = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.runPromise(Effect.map(anvil.rpc([{ method, params }]), ([result]) => result))
  const ledger: Ledger = { ask, chainId: Anvil.chainId, pool, orders: new Map() }
  const solver: Solver.Solver = { ledger, account: deployer, sent: new Map() }
  let meddler: Meddler | undefined
  const server = serving(ledger, () => meddler)
  yield* listening(server)
  if (solveMs !== null) yield* Effect.forkScoped(solving(solver, solveMs))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/local`,
    orders: ledger.orders,
    solve: Effect.promise(() => Solver.solve(solver)),
    settle: (uid, settling) =>
      Effect.promise(() => {
        const posted = ledger.orders.get(uid.toLowerCase())
        if (posted === undefined) throw new Error(`The book has no order ${uid}.`)
        return Solver.settle(solver, posted, settling)
      }),
    wipe: (uid) => Effect.promise(() => Solver.wipe(solver, readBytes(uid, 56))),
    forget: Effect.sync(() => ledger.orders.clear()),
    meddle: (next) =>
      Effect.sync(() => {
        meddler = next
      })
  }
})
