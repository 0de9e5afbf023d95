/** Looking for forgotten transactions ends: while it goes on, nobody's money is sent. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { TransactionId } from "../../../core/chains/address.ts"
import { learnForgotten } from "../../../core/evm/forgotten.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { UsedNonces } from "../../../core/evm/used-nonce-store.ts"
import { addressOf } from "../../support/watched-chain.ts"

const wallets = ["a", "b", "c"].map(addressOf)

/** A chain where each wallet has sent so many, and each takes ten seconds to be found. */
const slowChain = (sent: number) => {
  const asked: Array<string> = []
  const relay = Layer.mock(EvmRelay)({
    counts: (_, senders) => Effect.succeed(senders.map(() => sent)),
    usedBy: ({ nonce, sender }) =>
      Effect.delay(
        Effect.sync(() => {
          asked.push(`${sender} ${nonce}`)
          const txId = TransactionId.make(`0x${String(asked.length).padStart(64, "0")}`)
          const block = { blockNumber: 1, blockHash: `0x${"1".repeat(64)}` }
          return { txId, ...block, to: null, data: "0x", value: 0n, isSuccess: true, isFinal: true }
        }),
        "10 seconds"
      )
  })
  return { asked, relay }
}

const keptOf = (sender: (typeof wallets)[number]) =>
  UsedNonces.use((nonces) => nonces.from("local", sender, 0))

it.effect("a page with very many forgotten transactions is left after five minutes", () => {
  const { asked, relay } = slowChain(20)
  return Effect.gen(function* () {
    const first = yield* Effect.forkChild(learnForgotten("local", wallets))
    yield* TestClock.adjust("301 seconds")
    yield* Fiber.join(first)
    assert.lengthOf(asked, 30)
    const kept = yield* Effect.forEach(wallets, keptOf)
    assert.deepStrictEqual(
      kept.map(({ length }) => length),
      [20, 10, 0]
    )
    // Whoever comes back looks for the others alone.
    const second = yield* Effect.forkChild(learnForgotten("local", wallets))
    yield* TestClock.adjust("301 seconds")
    yield* Fiber.join(second)
    assert.strictEqual(new Set(asked).size, 60)
    assert.lengthOf(asked, 60)
  }).pipe(Effect.provide(Layer.mergeAll(relay, Memory.layer(1))))
})
