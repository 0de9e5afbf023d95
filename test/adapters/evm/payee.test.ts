/** Contracts may be wallets and are paid; tokens' contracts are nobody to pay, as whatever comes there stays there. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chains } from "../../../core/ports/chains.ts"
import * as Anvil from "../../support/anvil.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import * as Code from "../../support/token-code.ts"

const payeeOf = Effect.fnUntraced(function* (address: string) {
  const told = yield* (yield* Chains).payee("local", Value.address(address))
  return told._tag === "payable" ? "payable" : told.reason
})

/** What is said of a contract of this code. */
const ofCode = Effect.fnUntraced(function* (code: string) {
  const address = Rows.anAddressKey()
  yield* (yield* Anvil.AnvilChain).call("anvil_setCode", address, code)
  return yield* payeeOf(address)
})

layer(Layer.provideMerge(Anvil.chains, Anvil.layer))("who can be paid on an EVM chain", (it) => {
  it.effect("whoever has a key, and a contract that is no token", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* payeeOf(Rows.anAddressKey()), "payable")
      // It ends at once, burns all gas, or answers everything with a word.
      for (const code of ["0x00", "0xfe", `0x7f${"ff".repeat(32)}5f5260205ff3`]) {
        assert.strictEqual(yield* ofCode(code), "payable")
      }
    })
  )

  it.effect("no token, whichever it is", () =>
    Effect.gen(function* () {
      const { usdc } = yield* Anvil.AnvilChain
      const said = "a token's contract; money sent there would be lost"
      assert.strictEqual(yield* payeeOf(usdc), said)
      for (const code of [Code.plainToken, Code.byZeroToken, Code.rebasingToken]) {
        assert.strictEqual(yield* ofCode(code), said)
      }
    })
  )
})
