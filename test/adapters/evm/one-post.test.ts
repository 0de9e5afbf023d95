/** What is asked of a node in one turn goes in one request, and what belongs to one asker stays its own. */
import { createServer } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as Node from "../../../adapters/evm/node.ts"
import * as Rpc from "../../../adapters/evm/rpc.ts"
import * as Chain from "../../../core/chains/chain.ts"

interface Posted {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** What every node of the sandbox's chain says of itself. */
const ofItself = new Map([
  ["eth_chainId", "0x7a69"],
  ["eth_call", `0x${"6".padStart(64, "0")}`]
])

/** A node that says each call back, the last one first; `refuses` is what it refuses whole. */
const node = (refuses: (calls: ReadonlyArray<Posted>) => boolean = () => false) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly rpc: Rpc.Rpc
      readonly posts: Array<ReadonlyArray<Posted>>
      readonly close: () => void
    }>((resume) => {
      const posts: Array<ReadonlyArray<Posted>> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          const calls = JSON.parse(body) as ReadonlyArray<Posted>
          posts.push(calls)
          const error = { code: -32_000, message: "no" }
          const odd = { code: { toString: 1, valueOf: 1 }, message: { toString: 1, valueOf: 1 } }
          const errorOf = new Map<string, object>([
            ["fails", error],
            ["fails oddly", odd]
          ])
          const said = calls
            .map(({ id, method, params }) =>
              errorOf.has(method)
                ? { id, error: errorOf.get(method) }
                : { id, result: ofItself.get(method) ?? params[0] }
            )
            .toReversed()
          response.end(
            JSON.stringify(
              refuses(calls) ? { error: { code: -32_005, message: "too many" } } : said
            )
          )
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        const url = `http://127.0.0.1:${port}`
        const rpc = Rpc.make(url)
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url, rpc, posts, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const call = (value: unknown, method = "echo"): Rpc.Call => ({ method, params: [value] })

it.live("what many ask at once is one request, each call that says the same once", () =>
  Effect.gen(function* () {
    const { posts, rpc } = yield* node()
    const answers = yield* Effect.forEach(
      [1, 2, 3, 1],
      (each) => rpc([call("latest"), call(each)]),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers,
      [1, 2, 3, 1].map((each) => ["latest", each])
    )
    assert.deepStrictEqual(
      posts.map((calls) => calls.length),
      [4]
    )
  }).pipe(Effect.scoped)
)

it.live("answers are told apart by their ids, in whatever order they come", () =>
  Effect.gen(function* () {
    const { posts, rpc } = yield* node()
    const asked = Array.from({ length: 20 }, (_, at) => at)
    assert.deepStrictEqual(yield* rpc(asked.map((each) => call(each))), asked)
    assert.lengthOf(posts, 1)
  }).pipe(Effect.scoped)
)

it.live("a call that fails is the failure of its asker alone", () =>
  Effect.gen(function* () {
    const { posts, rpc } = yield* node()
    const [good, bad] = yield* Effect.all(
      [Effect.exit(rpc([call(1)])), Effect.exit(rpc([call(2), call(3, "fails")]))],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(good, Exit.succeed([1]))
    assert.isTrue(bad !== undefined && Exit.isFailure(bad))
    assert.lengthOf(posts, 1)
  }).pipe(Effect.scoped)
)

it.live("an error that is none of JSON-RPC's is a refusal all the same", () =>
  Effect.gen(function* () {
    const { rpc } = yield* node()
    const { reason } = yield* Effect.flip(rpc([call(1, "fails oddly")]))
    assert.strictEqual(reason, "refused")
  }).pipe(Effect.scoped)
)

it.live("what a node refuses whole is asked for each by itself", () =>
  Effect.gen(function* () {
    const { posts, rpc } = yield* node((calls) => calls.length > 2)
    const exits = yield* Effect.forEach(
      [[1], [2, 3], [4, 5, 6]],
      (values) => Effect.exit(rpc(values.map((each) => call(each)))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false])
    assert.lengthOf(posts, 4)
  }).pipe(Effect.scoped)
)

it.live("no request has more than a hundred calls of several askers", () =>
  Effect.gen(function* () {
    const { posts, rpc } = yield* node()
    const wanted = Array.from({ length: 25 }, (_, at) => at)
    yield* Effect.forEach(
      wanted,
      (at) => rpc(Array.from({ length: 10 }, (_, n) => call(`${at} ${n}`))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      posts.map((calls) => calls.length).toSorted((one, other) => one - other),
      [50, 100, 100]
    )
  }).pipe(Effect.scoped)
)

it.live("all who are given one connection ask by one request", () =>
  Effect.gen(function* () {
    const { posts, url } = yield* node()
    const chain = Chain.find("local") ?? assert.fail("the local chain is not known")
    const usdc = `0x${"01".repeat(20)}`
    const connection = { chain, usdc, rpcUrl: url, confirmations: 1, pollMs: 50 }
    const [one, other] = [Node.make(connection), Node.make(connection)]
    assert.deepStrictEqual(yield* one.ask([call("first")]), ["first"])
    const before = posts.length
    const answers = yield* Effect.all([one.ask([call(1)]), other.ask([call(2)])], {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(answers, [[1], [2]])
    assert.lengthOf(posts, before + 1)
  }).pipe(Effect.scoped)
)
