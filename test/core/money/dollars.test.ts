/** Dollars and USDC in their smallest units: sums, bounds, and the forms on the wire, at their edges. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../../core/money/decimal.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"

const [two, five] = [Usd.make(2n), Usd.make(5n)]
const [twoUsdc, fiveUsdc] = [Usdc.make(2n), Usdc.make(5n)]

describe("Dollars", () => {
  it("are added, subtracted and bounded exactly", () => {
    assert.strictEqual(Usd.add(two, five), 7n)
    assert.strictEqual(Usd.sub(two, five), -3n)
    assert.strictEqual(Usd.sum([two, five, five]), 12n)
    for (const [one, other] of [
      [two, five],
      [five, two]
    ] as const) {
      assert.strictEqual(Usd.min(one, other), 2n)
      assert.strictEqual(Usd.max(one, other), 5n)
    }
  })

  it("below zero are written with their sign", () => {
    assert.strictEqual(Usd.format(-1n), "-0.000001")
    assert.strictEqual(Usd.format(-12_500_000n), "-12.50")
  })

  it("are read up to the largest amount, and no further", () => {
    assert.strictEqual(Usd.parse("1000000000000.000000"), 10n ** 18n)
    assert.isUndefined(Usd.parse("1000000000000.000001"))
  })

  it("stand on the wire in both forms as what they are", () => {
    const decimal = Schema.toCodecJson(Usd.Decimal)
    assert.strictEqual(Schema.decodeUnknownSync(decimal)("12.50"), 12_500_000n)
    assert.strictEqual(Schema.encodeSync(decimal)(Usd.make(12_500_000n)), "12.50")
    const micro = Schema.toCodecJson(Usd.Micro)
    assert.strictEqual(Schema.decodeUnknownSync(micro)("12500000"), 12_500_000n)
    assert.strictEqual(Schema.encodeSync(micro)(Usd.make(12_500_000n)), "12500000")
    for (const wrong of ["", "-1", "01", "1.5", "1 ", "x1", "9".repeat(79)]) {
      assert.throws(() => Schema.decodeUnknownSync(micro)(wrong), undefined, undefined, wrong)
    }
    assert.strictEqual(Schema.decodeUnknownSync(micro)("9".repeat(78)), BigInt("9".repeat(78)))
  })
})

describe("USDC", () => {
  it("is added, subtracted, bounded and summed exactly", () => {
    assert.strictEqual(Usdc.add(twoUsdc, fiveUsdc), 7n)
    assert.strictEqual(Usdc.sub(twoUsdc, fiveUsdc), -3n)
    assert.strictEqual(Usdc.min(twoUsdc, fiveUsdc), 2n)
    assert.strictEqual(Usdc.min(fiveUsdc, twoUsdc), 2n)
    assert.strictEqual(Usdc.sum([twoUsdc, fiveUsdc]), 7n)
    assert.strictEqual(Usdc.toUsd(fiveUsdc), 5n)
  })

  it("is missing to an amount only while there is less", () => {
    assert.strictEqual(Usdc.missing(fiveUsdc, twoUsdc), 3n)
    assert.strictEqual(Usdc.missing(twoUsdc, fiveUsdc), 0n)
    assert.strictEqual(Usdc.missing(twoUsdc, twoUsdc), 0n)
  })

  it("stands on the wire in smallest units and as a decimal", () => {
    for (const schema of [Usdc.SmallestUnits, Usdc.Units]) {
      const codec = Schema.toCodecJson(schema)
      assert.strictEqual(Schema.decodeUnknownSync(codec)("12500000"), 12_500_000n)
      assert.strictEqual(Schema.encodeUnknownSync(codec)(12_500_000n), "12500000")
      assert.strictEqual(Schema.decodeUnknownSync(codec)("0"), 0n)
      for (const wrong of ["", "-1", "01", "1.5", "1 ", "x1", "9".repeat(79)]) {
        assert.throws(() => Schema.decodeUnknownSync(codec)(wrong), undefined, undefined, wrong)
      }
    }
    const decimal = Schema.toCodecJson(Usdc.Decimal)
    assert.strictEqual(Schema.decodeUnknownSync(decimal)("12.50"), 12_500_000n)
    assert.strictEqual(Schema.encodeUnknownSync(decimal)(12_500_000n), "12.50")
  })
})

describe("A decimal of others", () => {
  it("is read at the largest exponents and refused beyond", () => {
    assert.deepStrictEqual(Decimal.parse("1e40"), { units: 10n ** 40n, places: 0 })
    assert.isUndefined(Decimal.parse("1e41"))
  })

  it("is written without zeros that say nothing", () => {
    assert.strictEqual(Decimal.format({ units: 100n, places: 2 }, 0), "1")
    assert.strictEqual(Decimal.format({ units: 1500n, places: 3 }, 0), "1.5")
  })

  it("is given more places without a change of its value", () => {
    assert.deepStrictEqual(Decimal.rounded({ units: 15n, places: 1 }, 3), {
      units: 1500n,
      places: 3
    })
  })
})
