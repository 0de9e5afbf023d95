/** Addresses and transactions are told apart by the rules of their chain's family, whatever chain it is. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Address from "../../../core/chains/address.ts"
import { chains } from "../../../core/chains/chain.ts"

const base58 = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/u)
const hexadecimal = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/u)

const turned = (text: string) =>
  [...text]
    .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
    .join("")

describe("the key of an address", () => {
  it("is one for every way an EVM address is written", () => {
    fc.assert(
      fc.property(hexadecimal, fc.constantFrom(...chains), (address, { family, id }) => {
        fc.pre(family === "evm")
        assert.isTrue(Address.isSame(id, address, `0x${turned(address.slice(2))}`))
      })
    )
  })

  it("is another for every other way a Solana address is written", () => {
    fc.assert(
      fc.property(base58, fc.constantFrom(...chains), (address, { family, id }) => {
        fc.pre(family === "solana" && turned(address) !== address)
        assert.isFalse(Address.isSame(id, address, turned(address)))
        assert.strictEqual(Address.keyOf(id, address), address)
      })
    )
  })

  it("is its own key, so that keys can be looked up as well", () => {
    fc.assert(
      fc.property(fc.oneof(base58, hexadecimal), fc.constantFrom(...chains), (address, { id }) => {
        const key = Address.keyOf(id, address)
        assert.strictEqual(Address.keyOf(id, key), key)
      })
    )
  })
})

describe("a payment's address for wallets", () => {
  const asked = { token: "TOKEN", payTo: "PAYEE", units: 12_500_000n }

  it("is EIP-681 on EVM and Solana Pay on Solana", () => {
    const uris = chains
      .filter(({ id }) => id === "base" || id === "solana")
      .map((chain) => Address.families[chain.family].paymentUri({ ...asked, chain }))
    assert.deepStrictEqual(uris, [
      "ethereum:TOKEN@8453/transfer?address=PAYEE&uint256=12500000",
      "solana:PAYEE?amount=12.5&spl-token=TOKEN"
    ])
  })

  it("names on Solana what it is for, and writes the amount without zeros nobody needs", () => {
    const chain = chains.find(({ id }) => id === "solana") ?? assert.fail("Solana is known")
    const uriOf = (units: bigint) =>
      Address.families.solana.paymentUri({
        ...asked,
        chain,
        units,
        reference: "REFERENCE",
        label: "Ada & Ben",
        message: "Order #7: 50% off"
      })
    assert.strictEqual(
      uriOf(49_000_000n),
      "solana:PAYEE?amount=49&spl-token=TOKEN&reference=REFERENCE&label=Ada%20%26%20Ben&message=Order%20%237%3A%2050%25%20off"
    )
    for (const [units, amount] of [
      [1n, "0.000001"],
      [100_000_000n, "100"],
      [10_100_000n, "10.1"]
    ] as const) {
      assert.include(uriOf(units), `?amount=${amount}&`)
    }
  })
})
