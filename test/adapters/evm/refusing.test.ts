/** What a treasury sees when its node limits it, cannot be reached or is the wrong one. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Evm from "../../../adapters/evm/chains.ts"
import type { Connection } from "../../../adapters/evm/node.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { type ChainPosition, Chains } from "../../../core/ports/chains.ts"
import * as Anvil from "../../support/anvil.ts"
import {
  ada,
  asksLogsBy,
  assertUnavailable,
  changing,
  connectedBy,
  lookFrom,
  placeAtTip,
  refusing,
  tamper
} from "../../support/faulty-node.ts"
import type { Tampering } from "../../support/json-rpc-proxy.ts"

layer(Layer.provideMerge(Anvil.chains, Anvil.layer))("a node that refuses", (it) => {
  it.effect("one that serves another chain is refused for good", () =>
    connectedBy(
      { chain: Chain.find("base") as Chain.Chain },
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.flatMap(Chains, ({ tip }) => tip("base")))
        assertUnavailable(error, "wrong_chain")
        assert.isFalse(error.isRetryable)
        assert.include(error.detail, "31337")
      })
    )
  )

  it.effect("an address where no USDC stands is refused for good", () =>
    connectedBy(
      { usdc: ada },
      Effect.gen(function* () {
        assertUnavailable(yield* Effect.flip(placeAtTip), "wrong_chain")
      })
    )
  )

  it.effect("one that finds a range too large is asked for less, and for more again later", () =>
    Effect.gen(function* () {
      const { mine, pay, proxy } = yield* Anvil.AnvilChain
      const start = yield* placeAtTip
      yield* mine(60)
      const txHash = yield* pay(ada, 6n)
      yield* proxy.tamper((asked, pass) =>
        asked.length > 21 ? { status: 413, body: "request entity too large" } : pass(asked)
      )
      const program = Effect.gen(function* () {
        let place: ChainPosition = start
        const seen: Array<string> = []
        const taken: Array<number> = []
        for (let atHead = false; !atHead; ) {
          const sighting = yield* lookFrom(place)
          seen.push(...sighting.transfers.map((transfer) => transfer.txHash))
          taken.push(sighting.blocks.length)
          atHead = sighting.atHead
          place = { blocks: sighting.blocks }
          yield* proxy.tamper()
        }
        assert.deepStrictEqual(seen, [txHash])
        const [least = 0, next = 0] = taken
        assert.isAtMost(least, 20)
        assert.isAbove(next, least)
      })
      yield* connectedBy({}, program)
    })
  )

  it.effect("one that says an answer would be too large even for one block is limited", () =>
    Effect.gen(function* () {
      const { mine } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      yield* mine(5)
      yield* tamper(
        changing((asked, answered) =>
          asksLogsBy("fromBlock")(asked)
            ? {
                id: answered.id,
                error: { code: -32005, message: "query returned more than 10000" }
              }
            : answered
        )
      )
      const error = yield* connectedBy({}, Effect.flip(lookFrom(place)))
      yield* tamper()
      assertUnavailable(error, "limited")
    })
  )

  const limits: ReadonlyArray<readonly [string, Tampering, string]> = [
    ["too many requests", () => ({ status: 429, body: "slow down" }), "limited"],
    ["a spent quota", refusing("daily request count exceeded, request rate limited"), "limited"],
    ["an error page", () => ({ status: 502, body: "<html>Bad gateway</html>" }), "unreachable"],
    ["an answer that is no JSON-RPC", () => ({ status: 200, body: "hello" }), "unreachable"],
    ["an answer without results", () => [], "unreachable"],
    ["a refusal of the method", refusing("the method does not exist", -32601), "unreachable"],
    ["silence", () => "silence", "unreachable"]
  ]
  it.effect.each(limits)("%s makes the chain unavailable for now", ([, tampering, reason]) =>
    Effect.gen(function* () {
      yield* tamper(tampering)
      const error = yield* connectedBy({ timeoutMs: 200 }, Effect.flip(placeAtTip))
      yield* tamper()
      assertUnavailable(error, reason)
      assert.isTrue(error.isRetryable)
    })
  )

  it.effect("an answer larger than allowed is not read to its end", () =>
    Effect.gen(function* () {
      const error = yield* connectedBy({ maxBytes: 64 }, Effect.flip(placeAtTip))
      assertUnavailable(error, "limited")
    })
  )
})

it.effect("what an operator reads never repeats the node's URL", () =>
  Effect.gen(function* () {
    const connection: Connection = {
      chain: Chain.find("base") as Chain.Chain,
      rpcUrl: "http://127.0.0.1:9/v2/my-secret-key",
      usdc: ada,
      confirmations: 3,
      pollMs: 1000
    }
    const error = yield* Effect.flip(Effect.flatMap(Chains, ({ tip }) => tip("base"))).pipe(
      Effect.provide(Evm.layer([connection]))
    )
    assert.strictEqual(error.reason, "unreachable")
    assert.notInclude(JSON.stringify(error), "my-secret-key")
    const { connected } = yield* Effect.provide(Chains, Evm.layer([connection]))
    assert.notInclude(JSON.stringify(connected), "my-secret-key")
  })
)
