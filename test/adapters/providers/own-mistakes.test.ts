/** A mistake of our own in what asks a provider is a defect; only what the provider does is told as its failure. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, type Scope } from "effect"
import * as OrderBook from "../../../adapters/evm/cow/order-book.ts"
import * as Provider from "../../../adapters/evm/provider.ts"
import * as Answer from "../../../adapters/providers/answer.ts"
import * as SolanaRpc from "../../../adapters/solana/rpc.ts"

const answering = (answer = '{"result":1}', status = 200) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer((_, response) => response.writeHead(status).end(answer))
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:9"

const bounds = { deadlineMs: 5000, maxBytes: 1024 }
// Not to be written as JSON, or as text: as a value that an adapter has mistaken.
const mistaken = 1n as unknown as string
const unwritable = Symbol("path") as unknown as string

type Ask = (url: string, isMistaken: boolean) => Effect.Effect<unknown, unknown, Scope.Scope>

const askers: Readonly<Record<string, Ask>> = {
  "a bridge's provider": (url: string, isMistaken: boolean) =>
    Effect.flatMap(Provider.make("Somebody", { url }), ({ ask }) =>
      ask(isMistaken ? unwritable : "path")
    ),
  "an order book": (url: string, isMistaken: boolean) =>
    OrderBook.quote({ url }, {
      owner: isMistaken ? mistaken : "0x01",
      receiver: "0x01",
      sell: "0x02",
      buy: "0x03",
      sellAmount: 1n
    } as unknown as Parameters<typeof OrderBook.quote>[1]),
  "a provider of prices": (url: string, isMistaken: boolean) =>
    Effect.flatMap(Answer.connections, (connections) =>
      Answer.stream(connections, url, bounds, async () => {
        if (isMistaken) (undefined as unknown as { readonly read: () => void }).read()
      })
    ),
  "a node of Solana": (url: string, isMistaken: boolean) =>
    SolanaRpc.make([url])("getSlot", isMistaken ? [mistaken] : [])
}

for (const [name, ask] of Object.entries(askers)) {
  it.live(`${name} that is away is told of, and a mistake in asking it dies`, () =>
    Effect.gen(function* () {
      const url = yield* answering()
      const away = yield* Effect.exit(ask(nowhere, false))
      assert.isTrue(Exit.isFailure(away) && Cause.hasFails(away.cause), String(away))
      const mistake = yield* Effect.exit(ask(url, true))
      assert.isTrue(Exit.isFailure(mistake) && Cause.hasDies(mistake.cause), String(mistake))
    }).pipe(Effect.scoped)
  )
}

const secret = "http://me:secret@127.0.0.1:9"

for (const name of ["an order book", "a node of Solana"]) {
  it.live(`${name} whose URL names a user is told of as away, without a word of the URL`, () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit((askers[name] as Ask)(secret, false))
      assert.isTrue(Exit.isFailure(exit) && !Cause.hasDies(exit.cause), String(exit))
      assert.notInclude(inspect(exit, { depth: 9 }), "secret")
    }).pipe(Effect.scoped)
  )
}

it.live("a node of Solana that answers nonsense for an error is followed by the next one", () =>
  Effect.gen(function* () {
    const error = { code: { toString: 1, valueOf: 1 }, message: { toString: 1 } }
    const nonsense = yield* answering(JSON.stringify({ error }), 500)
    const next = yield* answering()
    assert.strictEqual(yield* SolanaRpc.make([nonsense, next])("getSlot", []), 1)
  }).pipe(Effect.scoped)
)
