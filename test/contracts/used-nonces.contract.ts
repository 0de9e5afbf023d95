/** What every store of used nonces must do: keep what is final once, until the chain says otherwise. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TransactionId } from "../../core/chains/address.ts"
import type { ToldNonce } from "../../core/evm/call.ts"
import { UsedNonces } from "../../core/evm/used-nonce-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import * as Rows from "../support/rows.ts"

const aNonce = (over: Partial<ToldNonce> = {}): ToldNonce => ({
  chainId: "local",
  sender: Rows.anAddressKey(),
  nonce: 0,
  txId: TransactionId.make(`0x${Rows.aDigest()}`),
  blockNumber: 5_000_000_000,
  blockHash: `0x${Rows.aDigest()}`,
  to: Rows.anAddressKey(),
  data: `0x095ea7b3${Rows.aDigest()}`,
  value: 0n,
  isSuccess: true,
  ...over
})

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: used nonces`, (it) => {
    it.effect("are kept of each wallet of each chain, in their order", () =>
      Effect.gen(function* () {
        const { from, keep } = yield* UsedNonces
        const sender = Rows.anAddressKey()
        assert.deepStrictEqual(yield* from("local", sender, 0), [])
        const ten = aNonce({ sender, nonce: 10, to: null, value: 2n ** 90n, isSuccess: false })
        const nine = aNonce({ sender, nonce: 9 })
        const big = aNonce({ sender, nonce: 5_000_000_000 })
        yield* Effect.forEach([ten, big, nine], keep)
        yield* keep(aNonce({ nonce: 11 }))
        yield* keep(aNonce({ sender, chainId: "local-2", nonce: 11 }))
        assert.deepStrictEqual(yield* from("local", sender, 0), [nine, ten, big])
        assert.deepStrictEqual(yield* from("local", sender, 10), [ten, big])
        assert.deepStrictEqual(yield* from("local", sender, 5_000_000_001), [])
      })
    )

    it.effect("stay what they were kept as, whoever keeps them again", () =>
      Effect.gen(function* () {
        const { from, keep } = yield* UsedNonces
        const first = aNonce()
        yield* keep(first)
        const again = Array.from({ length: 4 }, () => keep(aNonce({ sender: first.sender })))
        yield* Effect.all(again, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* from("local", first.sender, 0), [first])
      })
    )

    it.effect("are replaced in every respect by what the chain tells later", () =>
      Effect.gen(function* () {
        const { from, keep, replace } = yield* UsedNonces
        const sender = Rows.anAddressKey()
        const beside = aNonce({ sender, nonce: 1 })
        yield* Effect.forEach([aNonce({ sender }), beside, aNonce({ nonce: 0 })], keep)
        const other = aNonce({ sender, blockNumber: 7, to: null, value: 3n, isSuccess: false })
        yield* replace(other)
        assert.deepStrictEqual(yield* from("local", sender, 0), [other, beside])
      })
    )

    it.effect("are forgotten one by one", () =>
      Effect.gen(function* () {
        const { forget, from, keep } = yield* UsedNonces
        const sender = Rows.anAddressKey()
        const [zero, one] = [aNonce({ sender }), aNonce({ sender, nonce: 1 })]
        yield* Effect.forEach([zero, one], keep)
        yield* forget({ ...zero, chainId: "local-2" })
        yield* forget({ ...zero, nonce: 2 })
        yield* forget({ ...zero, sender: Rows.anAddressKey() })
        assert.deepStrictEqual(yield* from("local", sender, 0), [zero, one])
        yield* forget(zero)
        yield* forget(zero)
        assert.deepStrictEqual(yield* from("local", sender, 0), [one])
        yield* keep(zero)
        assert.deepStrictEqual(yield* from("local", sender, 0), [zero, one])
      })
    )
  })
