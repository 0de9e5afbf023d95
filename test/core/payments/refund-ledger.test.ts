/** Shares of refunds, beside the arithmetic of somebody who keeps one number for each transfer. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Usdc from "../../../core/money/usdc.ts"
import {
  allot,
  isRefunded,
  leftOf,
  leftOfAll,
  type Part,
  refundsView,
  type Share
} from "../../../core/payments/refund-ledger.ts"
import type { Plain } from "../../support/plain.ts"
import * as Rows from "../../support/rows.ts"

const share = (over: Plain<Partial<Share>> = {}): Share => ({
  proposalId: "p1",
  transferId: "a",
  amountMicro: Usdc.make(4n),
  state: "claimed",
  at: Rows.at(1),
  ...(over as Partial<Share>)
})

const a = { id: "a", amountMicro: Usdc.make(10n) }

describe("What is left of a transfer", () => {
  it("is all that no standing share of its own has taken", () => {
    assert.strictEqual(leftOf(a, []), 10n)
    assert.strictEqual(leftOf(a, [share()]), 6n)
    assert.strictEqual(leftOf(a, [share({ state: "refunded" })]), 6n)
    assert.strictEqual(leftOf(a, [share({ state: "released" })]), 10n)
    assert.strictEqual(leftOf(a, [share({ transferId: "b" })]), 10n)
    assert.strictEqual(leftOf(a, [share(), share({ proposalId: "p2", amountMicro: 6n })]), 0n)
  })
})

describe("Whether all of a transfer is back", () => {
  it("is said of what is back for good alone, and of its own shares alone", () => {
    const back = share({ amountMicro: 10n, state: "refunded" })
    assert.isTrue(isRefunded(a, [back]))
    assert.isFalse(isRefunded(a, []))
    assert.isFalse(isRefunded(a, [{ ...back, amountMicro: Usdc.make(9n) }]))
    assert.isFalse(isRefunded(a, [{ ...back, state: "claimed" }]))
    assert.isFalse(isRefunded(a, [{ ...back, state: "released" }]))
    assert.isFalse(isRefunded(a, [{ ...back, transferId: "b" }]))
    const half = { ...back, amountMicro: Usdc.make(5n) }
    assert.isTrue(isRefunded(a, [half, { ...half, proposalId: "p2" }]))
    assert.isFalse(isRefunded(a, [half, { ...half, proposalId: "p2", state: "claimed" }]))
    assert.isFalse(isRefunded(a, [half, { ...half, proposalId: "p2", transferId: "b" }]))
  })
})

describe("What is shown of refunds", () => {
  it("counts as back what is back, lists what is on its way beside it, and leaves out what failed", () => {
    const shares = [
      share({ amountMicro: 1n }),
      share({ amountMicro: 2n, transferId: "b" }),
      share({ proposalId: "p2", amountMicro: 3n, state: "refunded", at: Rows.at(2) }),
      share({ proposalId: "p3", amountMicro: 5n, state: "released" })
    ]
    assert.deepStrictEqual(refundsView(shares), {
      refundedSmallestUnit: 3n,
      refunds: [
        { proposalId: "p1", status: "executing", amountSmallestUnit: 3n, createdAt: Rows.at(1) },
        { proposalId: "p2", status: "completed", amountSmallestUnit: 3n, createdAt: Rows.at(2) }
      ]
    })
  })
})

const state = fc.constantFrom("claimed", "refunded", "released")
const transfers = fc
  .array(fc.bigInt({ min: 1n, max: 20n }), { minLength: 1, maxLength: 4 })
  .map((amounts) =>
    amounts.map((micro, place) => ({ id: `t${place}`, amountMicro: Usdc.make(micro) }))
  )

/** Each takes a part of what the ones before it left. */
const ledger = transfers.chain((rows) =>
  fc
    .array(fc.record({ at: fc.nat(rows.length - 1), percent: fc.nat(100), state }), {
      maxLength: 8
    })
    .map((wanted) => {
      const left = new Map<string, bigint>(rows.map((row) => [row.id, row.amountMicro]))
      const shares: Array<Share> = []
      for (const [place, { at, percent, state: to }] of wanted.entries()) {
        const id = `t${at}`
        const amountMicro = ((left.get(id) ?? 0n) * BigInt(percent)) / 100n
        if (amountMicro === 0n) continue
        if (to !== "released") left.set(id, (left.get(id) ?? 0n) - amountMicro)
        shares.push(share({ proposalId: `p${place}`, transferId: id, amountMicro, state: to }))
      }
      return { rows, shares, left }
    })
)

describe("Allotting a refund", () => {
  it("takes nothing of a transfer that has nothing left", () => {
    const parts = allot(
      [a, { id: "b", amountMicro: Usdc.make(5n) }],
      [share({ amountMicro: 10n })],
      Usdc.make(3n)
    )
    assert.deepStrictEqual(parts, [{ transferId: "b", amountMicro: Usdc.make(3n) }])
  })

  it("takes from the first what is left of it, then the next, and all of it or nothing", () => {
    fc.assert(
      fc.property(ledger, fc.bigInt({ min: 1n, max: 80n }), ({ left, rows, shares }, amount) => {
        const all = [...left.values()].reduce((sum, each) => sum + each, 0n)
        assert.strictEqual(leftOfAll(rows, shares), all)
        const expected: Array<Part> = []
        let missing = amount
        for (const { id } of rows) {
          const has = left.get(id) ?? 0n
          const takes = has < missing ? has : missing
          if (takes > 0n) expected.push({ transferId: id, amountMicro: Usdc.make(takes) })
          missing -= takes
        }
        const parts = allot(rows, shares, Usdc.make(amount))
        assert.deepStrictEqual(parts, missing > 0n ? undefined : expected)
      }),
      { numRuns: 500 }
    )
  })
})
