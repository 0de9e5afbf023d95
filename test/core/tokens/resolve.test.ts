/** A symbol and an address name one token of the list, or the refusal says which of the two is wrong. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { resolve } from "../../../core/tokens/resolve.ts"
import { plain, TokenSettings } from "../../../core/tokens/token.ts"
import * as Value from "../../support/chain-values.ts"

const place = (byte: string) => Value.address(`0x${byte.repeat(20)}`)
const listed = (symbol: string, byte: string) => ({
  chainId: "local",
  address: place(byte),
  symbol,
  name: symbol,
  decimals: 18,
  ...plain
})

const world = Layer.merge(
  MemoryChains.layer(Wiring.scriptedChain()),
  Layer.succeed(TokenSettings, {
    tokens: [listed("GOLD", "90"), listed("TWIN", "91"), listed("TWIN", "92")]
  })
)

const asked = (symbol: string | undefined, address: string | undefined, chainId = "local") =>
  resolve({
    chainId,
    symbol,
    address,
    params: { symbol: "sellSymbol", address: "sellTokenAddress" }
  })

const refused = (symbol: string | undefined, address: string | undefined, chainId?: string) =>
  Effect.flip(asked(symbol, address, chainId)).pipe(Effect.provide(world))

describe("A token", () => {
  it.effect("is found by its symbol, its address, or both, in any case of an unmixed address", () =>
    Effect.gen(function* () {
      const gold = yield* asked("GOLD", undefined)
      assert.strictEqual<string>(gold.address, place("90").toLowerCase())
      assert.deepStrictEqual(yield* asked(undefined, place("90").toLowerCase()), gold)
      assert.deepStrictEqual(yield* asked("gold", place("90")), gold)
      assert.isTrue((yield* asked("USDC", undefined)).isUsdc)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not found by the symbol of one and the address of another", () =>
    Effect.gen(function* () {
      const error = yield* refused("USDC", place("90"))
      assert.strictEqual(error._tag, "TOKEN_MISMATCH")
      assert.strictEqual(error.param, "sellTokenAddress")
      assert.include(error.message, "GOLD")
    })
  )

  it.effect("is named with its namesakes where a symbol alone is not enough", () =>
    Effect.gen(function* () {
      const error = yield* refused("TWIN", undefined)
      assert.strictEqual(error._tag, "TOKEN_MISMATCH")
      assert.include(error.message, place("91"))
      assert.include(error.message, place("92"))
    })
  )

  it.effect("that is not listed is refused, with where to find those that are", () =>
    Effect.gen(function* () {
      for (const each of [
        yield* refused("GOLD", place("93")),
        yield* refused("SILVER", undefined),
        yield* refused("ETH", undefined)
      ]) {
        assert.strictEqual(each._tag, "TOKEN_NOT_VERIFIED")
        assert.strictEqual(each.next?.operation, "discover_tokens")
      }
    })
  )

  it.effect("is not looked for at what is no address, or on a chain that is not connected", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refused("GOLD", "0x90"))._tag, "INVALID_ADDRESS")
      assert.strictEqual((yield* refused("GOLD", place("90"), "base"))._tag, "UNSUPPORTED_CHAIN")
    })
  )
})
