/** Decimals of others, taken by their text: exact, bounded, the same in every form of the same number. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Decimal from "../../../core/money/decimal.ts"

const read = (text: string) => {
  const decimal = Decimal.parse(text)
  return decimal === undefined ? undefined : Decimal.format(decimal, 0)
}

describe("Decimals", () => {
  it("are read in plain and in exponent form", () => {
    const forms = {
      "0": "0",
      "2500": "2500",
      "0.10": "0.1",
      "1e-7": "0.0000001",
      "1.5E+3": "1500",
      "-2.3009954568977147": "-2.3009954568977147",
      "1e21": "1000000000000000000000",
      "12.5e1": "125",
      "-0": "0"
    }
    for (const [text, expected] of Object.entries(forms)) {
      assert.strictEqual(read(text), expected, text)
    }
  })

  it("refuse what is no decimal or beyond all bounds", () => {
    const wrong = ["", " 1", "1 ", "+1", ".5", "1.", "1e", "e1", "1e41", "1e-41", "0x1", "NaN"]
    for (const text of [...wrong, "Infinity", "1,5", "1_0", "１", "9".repeat(41), "1.5.5"]) {
      assert.isUndefined(Decimal.parse(text), text)
    }
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "1", null, 1n, {}]) {
      assert.isUndefined(Decimal.ofNumber(value))
    }
  })

  it("drop what is finer than any price, towards zero", () => {
    assert.deepStrictEqual(Decimal.parse("1.9e-24"), { units: 1n, places: 24 })
    assert.deepStrictEqual(Decimal.parse("-1.9e-24"), { units: -1n, places: 24 })
    assert.deepStrictEqual(Decimal.parse("9e-25"), { units: 0n, places: 24 })
  })

  it("are any JSON number, to its last digit", () => {
    const numbers = fc.double({ min: 1e-7, max: 1e20, noNaN: true })
    fc.assert(
      fc.property(numbers, (value) => {
        const decimal = Decimal.ofNumber(value)
        return decimal !== undefined && Number(Decimal.format(decimal)) === value
      }),
      { numRuns: 2000 }
    )
  })

  it("are rounded to the nearest, halves away from zero", () => {
    const cases = [
      ["1.005", "1.01"],
      ["-1.005", "-1.01"],
      ["1.004999", "1.00"],
      ["-0.004", "0.00"],
      ["0.005", "0.01"],
      ["7", "7.00"]
    ] as const
    for (const [text, expected] of cases) {
      const decimal = Decimal.parse(text) ?? Decimal.zero
      assert.strictEqual(Decimal.format(Decimal.rounded(decimal, 2)), expected, text)
    }
  })
})
