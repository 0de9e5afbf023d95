/** The payer's side, and a busy chain: what was paid is what is seen. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { sendUsdc } from "../../../adapters/evm/usdc.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Anvil from "../../support/anvil.ts"
import { ada, lookFrom, placeAtTip } from "../../support/faulty-node.ts"

layer(Layer.provideMerge(Anvil.chains, Anvil.layer))("paying", (it) => {
  it.effect("a payer with a private key pays, and waits until it is in a block", () =>
    Effect.gen(function* () {
      const { call, pay, rpcUrl, usdc } = yield* Anvil.AnvilChain
      const privateKey = generatePrivateKey()
      const payer = privateKeyToAddress(privateKey)
      yield* call("anvil_setBalance", payer, "0xde0b6b3a7640000")
      yield* pay(payer, 50n)
      const place = yield* placeAtTip
      yield* call("evm_setAutomine", true)
      const payment = { rpcUrl, privateKey, token: usdc, to: ada, amountMicro: 49n }
      const txHash = yield* Effect.promise(() => sendUsdc(payment))
      yield* call("evm_setAutomine", false)
      const { transfers } = yield* lookFrom(place)
      assert.deepStrictEqual(
        transfers.map((transfer) => [transfer.txHash, transfer.from, transfer.amountMicro]),
        [[txHash, payer.toLowerCase(), 49n]]
      )
    })
  )

  it.effect("a payer who has not enough is told so", () =>
    Effect.gen(function* () {
      const { rpcUrl, usdc } = yield* Anvil.AnvilChain
      const privateKey = generatePrivateKey()
      const payment = { rpcUrl, privateKey, token: usdc, to: ada, amountMicro: 49n }
      const refused = yield* Effect.flip(Effect.tryPromise(() => sendUsdc(payment)))
      assert.match(String(refused.cause), /exceeds balance/u)
    })
  )

  it.effect("two thousand transfers in ten blocks are all seen, each once, in order", () =>
    Effect.gen(function* () {
      const { payInOneBlock } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      let amountMicro = 0n
      for (let blocks = 0; blocks < 10; blocks++) {
        const payments = Array.from({ length: 200 }, () => ({
          to: ada,
          amountMicro: ++amountMicro
        }))
        yield* payInOneBlock(payments)
      }
      const { transfers, blocks } = yield* lookFrom(place)
      assert.lengthOf(blocks, 10)
      assert.deepStrictEqual(
        transfers.map((transfer) => transfer.amountMicro),
        Array.from({ length: 2000 }, (_, at) => BigInt(at + 1))
      )
      assert.strictEqual(new Set(transfers.map(({ txHash }) => txHash)).size, 2000)
    })
  )

  it.effect("watchers may look at the same time", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      yield* pay(ada, 1n)
      const looking = yield* Effect.forkChild(
        Effect.all([lookFrom(place), lookFrom(place), lookFrom(place)], { concurrency: 3 })
      )
      const [one, ...others] = yield* Fiber.join(looking)
      for (const other of others) assert.deepStrictEqual(other, one)
      assert.lengthOf(yield* (yield* Chains).balances("local", Array(250).fill(ada)), 250)
    })
  )
})
