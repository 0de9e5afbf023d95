/** What a send is given and may cost: the node's estimate within bounds, and what a chain asks for bytes. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseTransaction } from "viem/utils"
import * as Gas from "../../../adapters/evm/gas.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { AnvilChain } from "../../support/anvil.ts"
import { payouts, seedKeys, world } from "../../support/anvil-sending-chain.ts"
import { assertUnavailable, changing, tamper } from "../../support/faulty-node.ts"
import { fundedAndAuthorized, PayingWorld } from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const chain = (id: string) => Chain.find(id) as Chain.Chain

it("a send that fits the usual limit always gets it, a dearer one a quarter more, none without end", () => {
  const [base, arbitrum] = [chain("base"), chain("arbitrum")]
  assert.strictEqual(Gas.limitFor(21_000n, base), 150_000n)
  assert.strictEqual(Gas.limitFor(102_800n, base), 150_000n)
  assert.strictEqual(Gas.limitFor(120_000n, base), 150_000n)
  assert.strictEqual(Gas.limitFor(200_000n, base), 250_000n)
  assert.strictEqual(Gas.limitFor(499_999n, base), 500_000n)
  assert.strictEqual(Gas.limitFor(4_000_000n, arbitrum), 5_000_000n)
  assert.strictEqual(Gas.limitFor(9_999_999n, arbitrum), 10_000_000n)
})

const sending = { to: addressOf("1"), amountMicro: 5n }

it("what a chain counts of its parent is no gas that a trial shows", () => {
  assert.isTrue(Gas.isOwnOn(chain("base")))
  assert.isFalse(Gas.isOwnOn(chain("arbitrum")))
})

const outOfGas = { code: -32000, message: "out of gas" }

/** Answers the estimate with another one, which the usual limit is too little for. */
const estimating = (gas: number) =>
  tamper(
    changing((asked, answered) => {
      if (asked.method === "eth_call") return { id: answered.id, error: outOfGas }
      return asked.method === "eth_estimateGas"
        ? { id: answered.id, result: `0x${gas.toString(16)}` }
        : answered
    })
  )

/** What was asked of the node to try a send, by the method and the gas that it names. */
const trialsAsked = Effect.map(AnvilChain, ({ proxy }) =>
  proxy
    .asked()
    .flat()
    .flatMap(({ method, params }) => {
      const gas = (params[0] as { readonly gas?: string } | undefined)?.gas
      return gas === undefined ? [] : [`${method} ${Number(gas)}`]
    })
)

/** A revert, as some nodes give it as an answer. */
const revertedBytes = `0x08c379a0${"0".repeat(128)}`

/** Code that answers whatever it is asked with so many wei. */
const answering = (wei: bigint) => `0x7f${wei.toString(16).padStart(64, "0")}60005260206000f3`

layer(world)("gas", (it) => {
  it.effect("a transfer of Circle's USDC gets the usual limit, and the bytes say so", () =>
    Effect.gen(function* () {
      const { chainId } = yield* PayingWorld
      const { conditions, simulate, wrap } = yield* EvmRelay
      const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 1 })
      assert.deepStrictEqual(yield* simulate(authorization), {
        _tag: "ok",
        gas: Gas.usual
      })
      // A node tries it once for that; an estimate is many trials.
      assert.deepStrictEqual(yield* trialsAsked, ["eth_call 120000"])
      yield* tamper(
        changing((asked, answered) =>
          asked.method === "eth_call" ? { id: answered.id, result: revertedBytes } : answered
        )
      )
      assert.propertyVal(yield* simulate(authorization), "gas", Gas.usual)
      assert.strictEqual((yield* trialsAsked).at(-1), "eth_estimateGas 500000")
      yield* estimating(300_000)
      const trial = yield* simulate(authorization)
      yield* tamper()
      assert.deepStrictEqual(trial, { _tag: "ok", gas: 375_000n })
      const fees = { ...(yield* conditions(chainId)), gas: 375_000n }
      const { raw } = yield* wrap(authorization, 0, fees)
      assert.strictEqual(parseTransaction(raw as `0x${string}`).gas, 375_000n)
    })
  )

  it.effect(
    "the node is told the most a send is ever given, and what takes more would revert",
    () =>
      Effect.gen(function* () {
        const { simulate } = yield* EvmRelay
        const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 2 })
        yield* tamper(
          changing(({ method }, { id, ...answered }) => {
            if (method === "eth_call") return { id, error: outOfGas }
            return method === "eth_estimateGas"
              ? {
                  id,
                  error: { code: -32000, message: "gas required exceeds allowance (500000)" }
                }
              : { id, ...answered }
          })
        )
        const trial = yield* simulate(authorization)
        yield* tamper()
        assert.strictEqual((yield* trialsAsked).at(-1), "eth_estimateGas 500000")
        assert.deepStrictEqual(trial, {
          _tag: "would_revert",
          reason: "The token takes more gas than a send is given."
        })
      })
  )

  it.effect(
    "what a chain asks for bytes is read where the chain tells it, and is nothing elsewhere",
    () =>
      Effect.gen(function* () {
        const { chainId } = yield* PayingWorld
        const { call } = yield* AnvilChain
        assert.strictEqual((yield* (yield* EvmRelay).conditions(chainId)).dataFeeWei, 0n)
        const dataFeeOracle = addressOf("f")
        const wei = 123_456_789_012_345n
        yield* call("anvil_setCode", dataFeeOracle, answering(wei))
        const told = yield* Effect.provide(EvmRelay, payouts(seedKeys(), { dataFeeOracle }))
        assert.strictEqual((yield* told.conditions(chainId)).dataFeeWei, wei)
        const silent = yield* Effect.provide(
          EvmRelay,
          payouts(seedKeys(), { dataFeeOracle: addressOf("e") })
        )
        assertUnavailable(yield* Effect.flip(silent.conditions(chainId)), "inconsistent")
      })
  )
})
