/** What a trade is worth and puts at risk: every rounding goes against it, and every bound is on its side. */
import { assert, describe, it } from "@effect/vitest"
import * as Usd from "../../../core/money/usd.ts"
import { fits } from "../../../core/sales/sale.ts"
import * as Worth from "../../../core/sales/worth.ts"

const usdc = (units: bigint) => ({ units, decimals: 6 })
const dollar = { usd: { units: 1n, places: 0 } }
const twoDollars = { usd: { units: 200n, places: 2 } }
const third = { usd: { units: 333_333_333n, places: 9 } }

describe("The worth of a trade", () => {
  it("is rounded up where it is sold and down where it is bought", () => {
    const one = { units: 1n, decimals: 0 }
    assert.strictEqual(Worth.worthUp(one, third), 333_334n)
    assert.strictEqual(Worth.worthDown(one, third), 333_333n)
    assert.strictEqual(Worth.worthDown(one, undefined), 0n)
  })

  it("is that of what the venue gives where that is more", () => {
    const sold = usdc(100_000_000n)
    const soldFor = (quoted: bigint) => Worth.soldWorth(sold, dollar, usdc(quoted), dollar)
    assert.strictEqual(soldFor(120_000_000n), 120_000_000n)
    assert.strictEqual(soldFor(80_000_000n), 100_000_000n)
    assert.strictEqual(Worth.soldWorth(sold, dollar, usdc(0n), undefined), 100_000_000n)
  })

  it("at risk is what may not come back, never below zero, and all fees", () => {
    const risk = (sold: bigint, least: bigint, fees: bigint) =>
      Worth.valueAtRisk(Usd.make(sold), Usd.make(least), Usd.make(fees))
    assert.strictEqual(risk(100n, 97n, 2n), 5n)
    assert.strictEqual(risk(100n, 120n, 2n), 2n)
  })

  it("buys so many whole units, and none at a price of nothing", () => {
    assert.strictEqual(Worth.unitsFor(Usd.make(10_000_000n), 18, twoDollars), 5n * 10n ** 18n)
    assert.strictEqual(Worth.unitsFor(Usd.make(10n), 18, { usd: { units: 0n, places: 2 } }), 0n)
  })
})

describe("A quote", () => {
  const inRange = (got: bigint) => Worth.isInRange(usdc(100_000_000n), dollar, usdc(got), dollar)

  it("is in range up to three percent from the price on either side", () => {
    for (const got of [97_000_000n, 98_000_000n, 100_000_000n, 103_000_000n]) {
      assert.isTrue(inRange(got), String(got))
    }
    for (const got of [96_999_999n, 103_000_001n, 0n]) assert.isFalse(inRange(got), String(got))
  })

  it("of what has no price cannot be told", () => {
    assert.isTrue(Worth.isInRange(usdc(1n), dollar, usdc(0n), undefined))
  })

  it("less slippage is a floor that is rounded up", () => {
    assert.strictEqual(Worth.floorOf(10_000n, 50), 9950n)
    assert.strictEqual(Worth.floorOf(10_001n, 50), 9951n)
    assert.strictEqual(Worth.floorOf(10_000n, 0), 10_000n)
  })
})

describe("A day's cap on trades", () => {
  it("is reached and not passed", () => {
    const cap = { capMicro: Usd.make(10n), usedMicro: Usd.make(4n) }
    assert.isTrue(fits(cap, Usd.make(6n)))
    assert.isFalse(fits(cap, Usd.make(7n)))
  })
})
