/** The list of tokens held against real contracts: one that lies about its decimals, or is gone, is told to the operator. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import * as EvmHoldings from "../../../adapters/evm/holdings.ts"
import * as Address from "../../../core/chains/address.ts"
import { lookOver } from "../../../core/tokens/check-list.ts"
import { plain, TokenSettings } from "../../../core/tokens/token.ts"
import { AnvilChain, connectionTo } from "../../support/anvil.ts"
import { world } from "../../support/anvil-sending-chain.ts"
import * as Rows from "../../support/rows.ts"
import * as Code from "../../support/token-code.ts"

const key = Rows.anAddressKey()
const listed = {
  ...plain,
  ...{ chainId: "local", address: Address.shown("local", key) },
  ...{ symbol: "SILVER", name: "Silver", decimals: 18 }
}

const holdings = Layer.unwrap(
  Effect.map(AnvilChain, (chain) => EvmHoldings.layer([connectionTo(chain)]))
)

/** What the operator is told by one look, while the contract is of this code. */
const heard = Effect.fnUntraced(function* (told: Set<string>, code: string) {
  yield* (yield* AnvilChain).call("anvil_setCode", key, code)
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  yield* lookOver(told).pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  return lines
})

layer(
  Layer.merge(
    holdings.pipe(Layer.provideMerge(world)),
    Layer.succeed(TokenSettings, { tokens: [listed] })
  )
)("the list of tokens, held against contracts", (it) => {
  it.effect(
    "tells of one that lies about its decimals or is gone, and of none that is honest",
    () =>
      Effect.gen(function* () {
        const told = new Set<string>()
        assert.deepStrictEqual(yield* heard(told, Code.plainToken), [])
        const [lying = "", ...others] = yield* heard(told, Code.twoDecimalsToken)
        assert.deepStrictEqual(others, [])
        assert.include(lying, `SILVER at ${listed.address} on local is not what the list`)
        assert.include(lying, "other than 18 decimals")
        assert.deepStrictEqual(yield* heard(told, Code.twoDecimalsToken), [], "it is told once")
        assert.deepStrictEqual(yield* heard(told, Code.plainToken), [])
        assert.lengthOf(yield* heard(told, "0x"), 1)
      })
  )
})
