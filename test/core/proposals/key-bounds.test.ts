/** Verdicts of caps: which leaves least room, and what is told of those that are broken. */
import { assert, describe, it } from "@effect/vitest"
import * as Usd from "../../../core/money/usd.ts"
import type { Rule, Verdict } from "../../../core/policy/limits.ts"
import { overLimits, tightest, verdictView } from "../../../core/proposals/key-bounds.ts"

const verdict = (rule: Rule, capMicro: bigint, usedMicro: bigint, passes = true): Verdict => ({
  rule,
  capMicro: Usd.make(capMicro),
  usedMicro: Usd.make(usedMicro),
  passes
})

describe("verdicts of caps", () => {
  it("the tightest leaves least room, whatever its cap is, and the first of equals", () => {
    const wide = verdict("daily", 100n, 10n)
    const narrow = verdict("monthly", 1000n, 950n)
    const equal = verdict("per_transfer", 60n, 10n)
    assert.strictEqual(tightest([wide, narrow]), narrow)
    assert.strictEqual(tightest([narrow, wide]), narrow)
    assert.strictEqual(tightest([narrow, equal, wide]), narrow)
    assert.strictEqual(tightest([equal, narrow, wide]), equal)
    assert.isUndefined(tightest([]))
  })

  it("headroom is what is left of a cap, and never below nothing", () => {
    assert.strictEqual(verdictView(verdict("daily", 5_000_000n, 3_000_000n)).headroomUsd, "2.00")
    assert.strictEqual(verdictView(verdict("daily", 5_000_000n, 5_000_000n)).headroomUsd, "0.00")
    assert.strictEqual(verdictView(verdict("daily", 5_000_000n, 6_000_000n)).headroomUsd, "0.00")
  })

  it("a refusal names the first that is broken, and tells all", () => {
    const passing = verdict("per_transfer", 9_000_000n, 0n)
    const broken = verdict("key_daily", 5_000_000n, 3_000_000n, false)
    const refusal = overLimits([passing, broken])
    assert.strictEqual(
      refusal.message,
      "This exceeds the API key's daily cap; at most 2.00 USDC can be sent now."
    )
    assert.deepStrictEqual(refusal.details, { verdicts: [passing, broken].map(verdictView) })
    assert.include(overLimits([broken], "amountUsd").message, "of which 2.00 USD are left now")
    assert.include(overLimits([passing]).message, "exceeds a limit; at most 0.00")
  })
})
