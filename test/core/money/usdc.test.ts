/** USDC text and smallest units: one strict form in, one form out, nothing lost between. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Usdc from "../../../core/money/usdc.ts"

const hostile = [
  "",
  " ",
  "0",
  "0.0",
  "0.000000",
  "-1",
  "+1",
  "01",
  "1.",
  ".5",
  "1.0000001",
  "1e3",
  "0x10",
  "1,000.00",
  "1 000",
  "1_000",
  "١٢",
  "１２",
  "NaN",
  "Infinity",
  "1\n",
  "1\u0000",
  "1.5.5",
  "9".repeat(60),
  "1000000000000.000001"
]

describe("USDC amounts", () => {
  it("refuses everything but a plain positive decimal", () => {
    for (const text of hostile) assert.isUndefined(Usdc.parse(text), JSON.stringify(text))
  })

  it("reads a JSON number by its shortest decimal form", () => {
    assert.strictEqual(Usdc.parseNumber(49.1), 49_100_000n)
    assert.strictEqual(Usdc.parseNumber(0.1), 100_000n)
    assert.isUndefined(Usdc.parseNumber(0.1 + 0.2))
    assert.isUndefined(Usdc.parseNumber(1e21))
    assert.isUndefined(Usdc.parseNumber(1e-7))
    assert.isUndefined(Usdc.parseNumber(-0))
    assert.isUndefined(Usdc.parseNumber(Number.NaN))
  })

  it("writes two to six fraction digits", () => {
    assert.strictEqual(Usdc.format(49_000_000n), "49.00")
    assert.strictEqual(Usdc.format(1n), "0.000001")
    assert.strictEqual(Usdc.format(49_500_000n), "49.50")
    assert.strictEqual(Usdc.format(49_123_450n), "49.12345")
    assert.strictEqual(Usdc.format(0n), "0.00")
  })

  it("loses nothing between smallest units and text", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: Usdc.maxMicro }), (micro) => {
        assert.strictEqual(Usdc.parse(Usdc.format(micro)), micro)
      }),
      { numRuns: 20_000 }
    )
  })

  it("reads any decimal of at most six fraction digits as itself", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), fc.nat(999_999), (whole, fraction) => {
        fc.pre(whole > 0 || fraction > 0)
        const text = `${whole}.${String(fraction).padStart(6, "0")}`
        assert.strictEqual(Usdc.parse(text), BigInt(whole) * 1_000_000n + BigInt(fraction))
      }),
      { numRuns: 20_000 }
    )
  })
})
