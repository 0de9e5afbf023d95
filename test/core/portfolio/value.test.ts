/** Values against fractions calculated apart: rounded down once, added up exactly, changes weighed by yesterday. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Decimal from "../../../core/money/decimal.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Value from "../../../core/portfolio/value.ts"
import type { Price } from "../../../core/ports/prices.ts"
import * as Worth from "../../../core/tokens/value.ts"

const decimalOf = (text: string): Decimal.Decimal => Decimal.parse(text) ?? assert.fail(text)

const priceOf = (usd: string, change?: string): Price => ({
  usd: decimalOf(usd),
  change24hPct: change === undefined ? undefined : decimalOf(change),
  asOf: null
})

/** A price as digits and a shift to the right, so that the test knows it as a fraction. */
const anyPrice = fc.record({ digits: fc.bigInt(1n, 10n ** 17n), shift: fc.nat(20) })
const anyBalance = fc.bigInt(0n, 2n ** 200n)
const anyDecimals = fc.nat(36)

/** Long division by hand, digit by digit: the floor of `numerator / denominator`. */
const quotient = (numerator: bigint, denominator: bigint): bigint => {
  let [result, remainder] = ["", 0n]
  for (const digit of numerator.toString()) {
    remainder = remainder * 10n + BigInt(digit)
    let times = 0
    while (remainder >= denominator) {
      remainder -= denominator
      times += 1
    }
    result += times
  }
  return BigInt(result)
}

describe("The value of a holding", () => {
  it("is the balance times the price, rounded down to a millionth of a dollar, a hundred thousand times", () => {
    const holding = fc.tuple(anyBalance, anyDecimals, anyPrice)
    fc.assert(
      fc.property(holding, ([balance, decimals, { digits, shift }]) => {
        const price = priceOf(`${digits}e-${shift}`)
        const found = Worth.valueMicro(balance, decimals, price)
        const [over, under] = [balance * digits * 1_000_000n, 10n ** BigInt(decimals + shift)]
        return found * under <= over && over < (found + 1n) * under
      }),
      { numRuns: 100_000 }
    )
  })

  it("is the same as by long division", () => {
    const holding = fc.tuple(anyBalance, anyDecimals, anyPrice)
    fc.assert(
      fc.property(holding, ([balance, decimals, { digits, shift }]) => {
        const price = priceOf(`${digits}e-${shift}`)
        const over = balance * digits * 1_000_000n
        return (
          Worth.valueMicro(balance, decimals, price) ===
          quotient(over, 10n ** BigInt(decimals + shift))
        )
      }),
      { numRuns: 2_000 }
    )
  })

  it("of USDC is its amount", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 18n), (micro) => {
        return Worth.valueMicro(micro, 6, Worth.parity) === micro
      })
    )
  })
})

const part = (micro: bigint, change?: string): Value.Part => ({
  valueMicro: Usd.make(micro),
  change24hPct: change === undefined ? undefined : decimalOf(change)
})

const told = (parts: ReadonlyArray<Value.Part>) => {
  const change = Value.changeOf(parts)
  return change === undefined ? undefined : Decimal.format(change)
}

describe("The change of a whole", () => {
  it("is that of its only part, to two places", () => {
    assert.strictEqual(told([part(1_000_000n, "-2.3009954568977147")]), "-2.30")
    assert.strictEqual(told([part(1_000_000n, "0")]), "0.00")
    assert.strictEqual(told([part(10n ** 30n, "1234.565")]), "1234.57")
  })

  it("checksSize each part by what it was worth a day ago", () => {
    // 100 became 200, and 100 stayed: 200 became 300.
    assert.strictEqual(told([part(200_000_000n, "100"), part(100_000_000n, "0")]), "50.00")
    // 100 became 50, and 50 became 100: nothing changed.
    assert.strictEqual(told([part(50_000_000n, "-50"), part(100_000_000n, "100")]), "0.00")
  })

  it("is unknown when a part's is, or when nothing was worth anything", () => {
    assert.isUndefined(told([part(1n, "1"), part(1n)]))
    assert.isUndefined(told([]))
    assert.isUndefined(told([part(0n, "5")]))
    assert.strictEqual(told([part(1n, "5"), part(0n)]), "5.00")
  })

  it("is unknown when a change is none that a value can have had", () => {
    assert.isUndefined(told([part(1n, "-100")]))
    assert.isUndefined(told([part(1n, "-250.5")]))
    assert.strictEqual(told([part(1n, "-99.99")]), "-99.99")
  })

  it("lies between the least and the greatest of its parts", () => {
    const hundredths = fc.integer({ min: -9_999, max: 100_000 })
    const anyPart = fc.tuple(fc.bigInt(1n, 10n ** 15n), hundredths)
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 8 }), (parts) => {
        const found = Value.changeOf(
          parts.map(([micro, units]) => ({
            valueMicro: Usd.make(micro),
            change24hPct: { units: BigInt(units), places: 2 }
          }))
        )
        const changes = parts.map(([, units]) => units)
        const units = Number(found?.units)
        return units >= Math.min(...changes) && units <= Math.max(...changes)
      }),
      { numRuns: 5_000 }
    )
  })

  it("of a quote is exactly what its price says", () => {
    assert.deepStrictEqual(priceOf("1e-7", "1.5").usd, { units: 1n, places: 7 })
  })
})
