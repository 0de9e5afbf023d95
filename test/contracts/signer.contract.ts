/** What every keeper of the treasury's keys must do about addresses on EVM chains. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { getAddress } from "viem"
import { Signer } from "../../core/ports/signer.ts"

const indexes = Array.from({ length: 50 }, (_, index) => index)

export const suite = (name: string, signer: Layer.Layer<Signer>, chainId = "base") =>
  layer(signer)(`${name}: signer`, (it) => {
    it.effect("every index has an address of its own, in the checksummed form", () =>
      Effect.gen(function* () {
        const addresses = yield* (yield* Signer).addressesOf(chainId, indexes)
        assert.strictEqual(new Set(addresses).size, indexes.length)
        assert.deepStrictEqual(
          addresses.map((address) => getAddress(address)),
          addresses
        )
      })
    )

    it.effect("an index has one address for ever, in whatever order it is asked for", () =>
      Effect.gen(function* () {
        const { addressesOf } = yield* Signer
        const addresses = yield* addressesOf(chainId, indexes)
        assert.deepStrictEqual(
          yield* addressesOf(chainId, [...indexes].reverse()),
          [...addresses].reverse()
        )
        const [seventh, again] = yield* addressesOf(chainId, [7, 7])
        assert.strictEqual(seventh, addresses[7])
        assert.strictEqual(again, addresses[7])
        assert.deepStrictEqual(yield* addressesOf(chainId, []), [])
      })
    )
  })
