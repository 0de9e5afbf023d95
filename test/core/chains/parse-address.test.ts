/** Addresses as people write them: the checksum is the one all tools know, and a misspelt address is refused. */
import { assert, describe, it } from "@effect/vitest"
import { getBase58Decoder } from "@solana/kit"
import * as FastCheck from "fast-check"
import { getAddress } from "viem/utils"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { checksummed } from "../../../core/chains/evm-checksum.ts"
import * as Base58 from "../../../core/encoding/base58.ts"

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

const bytes = (length: number) => FastCheck.uint8Array({ minLength: length, maxLength: length })

describe("Base58", () => {
  it("is what another implementation writes and reads", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(bytes(32), bytes(64)), (given) => {
        const text = getBase58Decoder().decode(given)
        assert.strictEqual(Base58.encode(given), text)
        assert.deepStrictEqual(Base58.decode(text, given.length), given)
        assert.isUndefined(Base58.decode(text, given.length - 1))
        assert.isUndefined(Base58.decode(`1${text}`, given.length))
      })
    )
  })
})

describe("A transaction of Solana", () => {
  it("is a signature of 64 bytes in base58, whose case counts", () => {
    FastCheck.assert(
      FastCheck.property(bytes(64), bytes(32), (signature, key) => {
        const text = Base58.encode(signature)
        assert.strictEqual<string | undefined>(Address.parseTransactionId("solana", text), text)
        assert.isUndefined(Address.parseTransactionId("solana", Base58.encode(key)))
      })
    )
    assert.isUndefined(Address.parseTransactionId("solana", `0x${"ab".repeat(32)}`))
  })

  it("is looked up where anybody can", () => {
    assert.strictEqual(
      Chain.transactionUrl("solana-devnet", "5sig"),
      "https://explorer.solana.com/tx/5sig?cluster=devnet"
    )
    assert.isNull(Chain.transactionUrl("local-solana", "5sig"))
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
