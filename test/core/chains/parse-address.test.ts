/** Addresses as people write them: the checksum is the one all tools know, and a misspelt address is refused. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { getAddress } from "viem/utils"
import * as Address from "../../../core/chains/address.ts"
import { checksummed } from "../../../core/chains/evm-checksum.ts"

const digits = FastCheck.string({
  unit: FastCheck.constantFrom(..."0123456789abcdef"),
  minLength: 40,
  maxLength: 40
})

describe("An EVM address", () => {
  it("has the checksum that viem gives it", () => {
    FastCheck.assert(
      FastCheck.property(digits, (text) => {
        assert.strictEqual(`0x${checksummed(text)}`, getAddress(`0x${text}`))
      }),
      { numRuns: 300 }
    )
  })

  it("is taken in one case or with its checksum, and in no other mixture", () => {
    const right = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    for (const written of [right, right.toLowerCase(), `0x${right.slice(2).toUpperCase()}`]) {
      assert.strictEqual<string | undefined>(Address.parse("base", written), right)
    }
    const misspelt = [right.replace("aA", "Aa"), right.slice(0, -1), `${right}0`, right.slice(2)]
    for (const written of [...misspelt, right.replace("0x", "0X"), ""]) {
      assert.isUndefined(Address.parse("base", written), written)
    }
  })
})

describe("A Solana address", () => {
  it("is base58 of 32 bytes, and nothing else", () => {
    const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    const system = "1".repeat(32)
    for (const written of [usdc, system]) {
      assert.strictEqual<string | undefined>(Address.parse("solana", written), written)
    }
    for (const written of ["1".repeat(33), usdc.slice(2), `${usdc}1`, "z".repeat(44), "0x12", ""]) {
      assert.isUndefined(Address.parse("solana", written), written)
    }
  })
})
