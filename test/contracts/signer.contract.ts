/** What every keeper of the treasury's keys must do about addresses on EVM chains. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { getAddress } from "viem"
import { Signer } from "../../core/ports/signer.ts"

const numbers = Array.from({ length: 50 }, (_, number) => number)

export const suite = (name: string, signer: Layer.Layer<Signer>, chainId = "base") =>
  layer(signer)(`${name}: signer`, (it) => {
    it.effect("every key has an address of its own, in the checksummed form", () =>
      Effect.gen(function* () {
        const { addressesOf, keyAt } = yield* Signer
        const addresses = yield* addressesOf(chainId, numbers.map(keyAt))
        assert.strictEqual(new Set(addresses).size, numbers.length)
        assert.deepStrictEqual(
          addresses.map((address) => getAddress(address)),
          addresses
        )
      })
    )

    it.effect("a key has one address for ever, in whatever order it is asked for", () =>
      Effect.gen(function* () {
        const { addressesOf, keyAt } = yield* Signer
        const keys = numbers.map(keyAt)
        const addresses = yield* addressesOf(chainId, keys)
        assert.deepStrictEqual(
          yield* addressesOf(chainId, [...keys].reverse()),
          [...addresses].reverse()
        )
        const [seventh, again] = yield* addressesOf(chainId, [keyAt(7), keyAt(7)])
        assert.strictEqual(seventh, addresses[7])
        assert.strictEqual(again, addresses[7])
        assert.deepStrictEqual(yield* addressesOf(chainId, []), [])
      })
    )
  })
