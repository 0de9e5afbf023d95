/** What a block has is final as soon as enough blocks count, though the chain went on between two questions about it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EvmRelay } from "../../../core/evm/relay.ts"
import type * as Anvil from "../../support/anvil.ts"
import { payouts, world } from "../../support/anvil-sending-chain.ts"
import { tamper } from "../../support/faulty-node.ts"
import {
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  PayingWorld
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const sending = { to: addressOf("1"), amountMicro: 5n }

const paidOnce = Effect.fnUntraced(function* (keyNumber: number) {
  const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber })
  const attempt = yield* attemptOf(authorization)
  yield* broadcast(attempt)
  return { attempt, authorization }
})

layer(world)("blocks between two questions", (it) => {
  it.effect("a head from before the receipt's block is no reason to wait for another", () =>
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const { trace } = yield* Effect.provide(EvmRelay, payouts(undefined, { confirmations: 1 }))
      const { attempt, authorization } = yield* paidOnce(1)
      yield* mine(1)
      yield* tamper(async (asked, pass) =>
        pass(
          asked.some(({ method }) => method === "eth_getTransactionReceipt")
            ? asked.map((each) =>
                each.params[0] === "latest" ? { ...each, params: ["0x1", false] } : each
              )
            : asked
        )
      )
      const traced = yield* Effect.ensuring(trace(authorization, [attempt]), tamper())
      assert.deepStrictEqual(traced, { _tag: "paid", txHash: attempt.txHash, isFinal: true })
    })
  )

  it.effect("what blocks took after the first question counts as far as the newest of them", () =>
    Effect.gen(function* () {
      const { confirmations, mine } = yield* PayingWorld
      const { trace } = yield* EvmRelay
      const services = yield* Effect.context<Anvil.AnvilChain>()
      const { attempt, authorization } = yield* paidOnce(2)
      yield* tamper(async (asked, pass) => {
        const answers = await pass(asked)
        if (!asked.some(({ method }) => method === "eth_getTransactionReceipt")) return answers
        await Effect.runPromiseWith(services)(Effect.andThen(tamper(), mine(confirmations)))
        return answers
      })
      assert.deepStrictEqual(yield* trace(authorization, [attempt]), {
        _tag: "paid",
        txHash: attempt.txHash,
        isFinal: true
      })
    })
  )
})
