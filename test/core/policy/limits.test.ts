/** Spending limits as pure rules: every boundary to the smallest unit, and windows that begin on UTC time. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Usd from "../../../core/money/usd.ts"
import {
  dailyTradeOf,
  daysBetween,
  evaluate,
  judge,
  judgeRaise,
  resets,
  windowsAt,
  without
} from "../../../core/policy/limits.ts"
import { tiers, violation } from "../../../core/policy/plan.ts"

const limits = tiers.personal
const usedOf = (day: bigint, month: bigint) => ({
  dayMicro: Usd.make(day),
  monthMicro: Usd.make(month)
})
const nothing = usedOf(0n, 0n)
const broken = (amountMicro: bigint, used = nothing) =>
  evaluate(limits, used, Usd.make(amountMicro))
    .filter((verdict) => !verdict.passes)
    .map((verdict) => verdict.rule)

describe("Spending limits", () => {
  it("pass an amount equal to the cap and refuse one unit more", () => {
    assert.deepEqual(broken(limits.perTransferMicro), [])
    assert.deepEqual(broken(limits.perTransferMicro + 1n), ["per_transfer"])
    const day = usedOf(limits.dailyMicro - 1n, 0n)
    assert.deepEqual(broken(1n, day), [])
    assert.deepEqual(broken(2n, day), ["daily"])
    const month = usedOf(0n, limits.monthlyMicro)
    assert.deepEqual(broken(1n, month), ["monthly"])
    assert.deepEqual(broken(limits.hardCapMicro + 1n).slice(0, 2), ["hard_cap", "per_transfer"])
  })

  it("never let a sequence of passing amounts pass a window's cap", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: limits.perTransferMicro })), (amounts) => {
        let used = nothing
        for (const amount of amounts) {
          if (evaluate(limits, used, Usd.make(amount)).every((verdict) => verdict.passes)) {
            used = usedOf(used.dayMicro + amount, used.monthMicro + amount)
          }
        }
        assert.isTrue(used.dayMicro <= limits.dailyMicro)
      })
    )
  })

  it("count in the UTC day and month of the instant", () => {
    const last = DateTime.makeUnsafe("2026-11-30T23:59:59.999Z")
    assert.deepEqual(windowsAt(last), { day: "2026-11-30", month: "2026-11" })
    const next = DateTime.add(last, { milliseconds: 1 })
    assert.deepEqual(windowsAt(next), { day: "2026-12-01", month: "2026-12" })
    assert.strictEqual(DateTime.formatIso(resets(last).day), "2026-12-01T00:00:00.000Z")
    assert.strictEqual(DateTime.formatIso(resets(last).month), "2026-12-01T00:00:00.000Z")
  })

  it("name every UTC day from one through another", () => {
    assert.deepStrictEqual(daysBetween("2028-02-28", "2028-03-01"), [
      "2028-02-28",
      "2028-02-29",
      "2028-03-01"
    ])
    assert.deepStrictEqual(daysBetween("2026-11-22", "2026-11-22"), ["2026-11-22"])
    assert.deepStrictEqual(daysBetween("2026-11-23", "2026-11-22"), [])
  })

  it("let an account sell ten times of what it may send in a day, unless it has a cap of its own", () => {
    assert.strictEqual(dailyTradeOf(Usd.make(25n), null), 250n)
    assert.strictEqual(dailyTradeOf(Usd.make(25n), Usd.make(7n)), 7n)
  })

  it("judge a raise by what it adds to what it holds already", () => {
    const used = usedOf(limits.dailyMicro, limits.dailyMicro)
    const held = Usd.make(limits.perTransferMicro - 5n)
    assert.deepStrictEqual(judgeRaise(limits, used, held, held), { _tag: "reserved" })
    const over = judgeRaise(limits, used, held, Usd.make(held + 1n))
    assert.deepStrictEqual(
      over._tag === "over"
        ? over.verdicts.filter(({ passes }) => !passes).map(({ rule }) => rule)
        : [],
      ["daily"]
    )
    const month = usedOf(held, limits.monthlyMicro)
    assert.deepStrictEqual(judgeRaise(limits, month, held, held), { _tag: "reserved" })
    assert.strictEqual(judgeRaise(limits, month, held, Usd.make(held + 1n))._tag, "over")
    assert.deepStrictEqual(judge(limits, nothing, Usd.make(1n)), { _tag: "reserved" })
  })

  it("of a tier never contradict each other", () => {
    for (const tier of Object.values(tiers)) assert.isUndefined(violation(tier))
    assert.isString(violation({ ...limits, perTransferMicro: Usd.make(limits.dailyMicro + 1n) }))
    assert.isString(violation({ ...limits, dailyMicro: Usd.make(limits.monthlyMicro + 1n) }))
  })

  it("leave out a charge where it was counted: of today in both windows, of an earlier day in the month", () => {
    const windows = { day: "2030-05-20", month: "2030-05" }
    const used = usedOf(50n, 90n)
    const charged = (day: string) => ({
      chainId: "local",
      identity: "one",
      day,
      amountMicro: Usd.make(20n)
    })
    assert.deepStrictEqual(without(used, windows, charged("2030-05-20")), usedOf(30n, 70n))
    assert.deepStrictEqual(without(used, windows, charged("2030-05-19")), usedOf(50n, 70n))
    assert.deepStrictEqual(without(used, windows, charged("2030-04-30")), used)
    assert.deepStrictEqual(without(used, windows, charged("2030-06-05")), used)
    assert.deepStrictEqual(without(used, windows, undefined), used)
  })
})
