/** Where two nodes are configured, both must say that a block is final before anything rests on it. */
import { createServer } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Node from "../../../adapters/evm/node.ts"
import { finalizedBlock } from "../../../adapters/evm/survey.ts"
import * as Chain from "../../../core/chains/chain.ts"

const word = (value: number | string) => `0x${String(value).padStart(64, "0")}`

interface Standing {
  readonly finalized: number | null
  /** Which fork its blocks are of. */
  readonly fork: string
}

const block = (number: number, fork: string) => ({
  number: `0x${number.toString(16)}`,
  hash: word(`${fork}${number}`),
  parentHash: word(`${fork}${number - 1}`),
  timestamp: "0x1",
  logsBloom: "0x"
})

/** A node of the sandbox's chain that stands as it is told. */
const nodeAt = (standing: () => Standing) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const answer = (method: string, [at]: ReadonlyArray<unknown>) => {
        const { finalized, fork } = standing()
        if (method === "eth_chainId") return "0x7a69"
        if (method === "eth_call") return word(6)
        if (at === "finalized") return finalized === null ? null : block(finalized, fork)
        return block(Number(at), fork)
      }
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          const calls = JSON.parse(body) as ReadonlyArray<{
            readonly id: number
            readonly method: string
            readonly params: ReadonlyArray<unknown>
          }>
          const said = calls.map(({ id, method, params }) => ({
            id,
            result: answer(method, params)
          }))
          response.end(JSON.stringify(said))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

it.live("the node that is behind decides, and a fork between them decides nothing", () =>
  Effect.gen(function* () {
    let [one, two]: [Standing, Standing] = [
      { finalized: 30, fork: "a" },
      { finalized: 20, fork: "a" }
    ]
    const first = yield* nodeAt(() => one)
    const second = yield* nodeAt(() => two)
    const chain = Chain.find("local") ?? assert.fail("the local chain is not known")
    const connection = {
      chain,
      usdc: `0x${"01".repeat(20)}`,
      rpcUrl: first.url,
      confirmations: 1,
      pollMs: 50
    }
    const alone = Node.make(connection)
    const both = Node.make({ ...connection, secondRpcUrl: second.url })
    assert.strictEqual((yield* finalizedBlock(alone))?.number, 30)
    assert.strictEqual((yield* finalizedBlock(both))?.number, 20)
    two = { finalized: 40, fork: "a" }
    assert.strictEqual((yield* finalizedBlock(both))?.number, 30)
    two = { finalized: null, fork: "a" }
    assert.isUndefined(yield* finalizedBlock(both))
    two = { finalized: 25, fork: "b" }
    assert.deepInclude(yield* Effect.flip(finalizedBlock(both)), { reason: "inconsistent" })
    one = { finalized: 20, fork: "b" }
    assert.strictEqual((yield* finalizedBlock(both))?.number, 20)
  }).pipe(Effect.scoped)
)
