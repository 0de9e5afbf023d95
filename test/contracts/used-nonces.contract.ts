/** What every store of used nonces must do: keep what is final once, and find it by wallet, nonce and identity. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TransactionId } from "../../core/chains/address.ts"
import { type KeptNonce, UsedNonces } from "../../core/evm/used-nonce-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import * as Rows from "../support/rows.ts"

const aNonce = (over: Partial<KeptNonce> = {}): KeptNonce => ({
  chainId: "local",
  sender: Rows.anAddressKey(),
  nonce: 0,
  txId: TransactionId.make(`0x${Rows.aDigest()}`),
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

    it.effect("are found by the identity that their data ends in, by nothing else", () =>
      Effect.gen(function* () {
        const { keep, succeeded } = yield* UsedNonces
        const identity = Rows.aDigest()
        const one = aNonce({ nonce: 3, data: `0x12${identity}` })
        const { sender } = one
        yield* keep(one)
        yield* keep(aNonce({ sender, nonce: 4, data: `0x${identity}34` }))
        assert.deepStrictEqual(yield* succeeded("local", sender, identity), one)
        assert.isUndefined(yield* succeeded("local", sender, Rows.aDigest()))
        assert.isUndefined(yield* succeeded("local", Rows.anAddressKey(), identity))
        assert.isUndefined(yield* succeeded("local-2", sender, identity))
      })
    )

    it.effect("that failed are found by no identity, and of others the first is", () =>
      Effect.gen(function* () {
        const { keep, succeeded } = yield* UsedNonces
        const identity = Rows.aDigest()
        const sender = Rows.anAddressKey()
        const at = (nonce: number, isSuccess: boolean) =>
          aNonce({ sender, nonce, isSuccess, data: `0x${identity}` })
        yield* keep(at(7, false))
        assert.isUndefined(yield* succeeded("local", sender, identity))
        const eighth = at(8, true)
        yield* Effect.forEach([at(9, true), eighth], keep)
        assert.deepStrictEqual(yield* succeeded("local", sender, identity), eighth)
      })
    )
  })
