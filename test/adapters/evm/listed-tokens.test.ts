/** The list of tokens held against real contracts: one that lies about its decimals, or is gone, is told to the operator. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { keccak256 } from "viem/utils"
import * as EvmHoldings from "../../../adapters/evm/holdings.ts"
import { examine } from "../../../apps/doctor/tokens.ts"
import { nodesOf } from "../../../apps/doctor/wiring.ts"
import * as Address from "../../../core/chains/address.ts"
import type { Says } from "../../../core/ports/holdings.ts"
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

  it.effect("tells of one that calls itself otherwise, or whose code is another", () =>
    Effect.gen(function* () {
      const heldTo = (says: Says, code: string) =>
        Effect.provideService(heard(new Set(), code), TokenSettings, {
          tokens: [{ ...listed, says }]
        })
      const any: Says = { symbol: null, codeHash: null }
      const codeHash = keccak256(Code.plainToken as `0x${string}`)
      assert.deepStrictEqual(yield* heldTo({ ...any, symbol: "plain" }, Code.plainToken), [])
      const [renamed = ""] = yield* heldTo({ ...any, symbol: "SILVER" }, Code.plainToken)
      assert.include(renamed, "another symbol or other code")
      assert.deepStrictEqual(yield* heldTo({ ...any, codeHash }, Code.plainToken), [])
      assert.lengthOf(yield* heldTo({ ...any, codeHash }, Code.feeToken), 1)
      assert.lengthOf(yield* heldTo({ ...any, codeHash }, "0x"), 1)
    })
  )

  it.effect("the doctor names it, and what to do", () =>
    Effect.gen(function* () {
      const chain = yield* AnvilChain
      const [node = assert.fail("no node")] = nodesOf({ chains: [connectionTo(chain)] })
      yield* chain.call("anvil_setCode", key, Code.plainToken)
      const [well] = yield* examine(node, [listed])
      assert.deepInclude(well, { part: "tokens local", status: "ok" })
      assert.match(well?.message ?? "", /Held to no code: SILVER; an entry with code-/u)
      const coded = { symbol: null, codeHash: keccak256(Code.plainToken as `0x${string}`) }
      const [whole] = yield* examine(node, [{ ...listed, says: coded }])
      assert.strictEqual(whole?.message, "Nothing contradicts the 2 tokens of the list.")
      const says = { symbol: "SILVER", codeHash: null }
      const [differs] = yield* examine(node, [{ ...listed, says }])
      assert.deepInclude(differs, { part: "tokens local", status: "problem" })
      assert.include(differs?.message, `SILVER at ${listed.address} is not what the list says`)
      assert.include(differs?.message, "Correct or remove its entry in BURSAR_TOKENS")
      const dead = { ...connectionTo(chain), rpcUrl: "http://127.0.0.1:9" }
      const [nobody = assert.fail("no node")] = nodesOf({ chains: [dead] })
      const [unasked] = yield* examine(nobody, [listed])
      assert.deepInclude(unasked, { part: "tokens local", status: "warning" })
    })
  )
})
