/** When a plan ends, to the millisecond, and what a payment for the same or another one makes of it. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { endOf, hasRunOut, plans, tierAt } from "../../../core/policy/plan.ts"

const now = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
const inMs = (milliseconds: number) => DateTime.add(now, { milliseconds })
const inDays = (days: number) => DateTime.add(now, { days })

describe("a plan", () => {
  const startup = { tier: "startup" as const, subscriptionExpiresAt: now }

  it("holds until the last millisecond before its end, and falls to personal at its end", () => {
    assert.strictEqual(tierAt(startup, inMs(-1)), "startup")
    assert.strictEqual(tierAt(startup, now), "personal")
    assert.isFalse(hasRunOut(startup, inMs(-1)))
    assert.isTrue(hasRunOut(startup, now))
  })

  it("that never ends never runs out", () => {
    const given = { tier: "startup" as const, subscriptionExpiresAt: null }
    assert.strictEqual(tierAt(given, inDays(100_000)), "startup")
  })
})

describe("a payment for a plan", () => {
  const end = (subscriptionExpiresAt: DateTime.Utc | null, plan: "personal" | "startup") =>
    DateTime.formatIso(endOf({ tier: "personal", subscriptionExpiresAt }, plan, plans, now))
  const told = DateTime.formatIso

  it("begins now when there was none, or it has run out", () => {
    assert.strictEqual(end(null, "personal"), told(inDays(30)))
    assert.strictEqual(end(now, "personal"), told(inDays(30)))
    assert.strictEqual(end(inDays(-3), "personal"), told(inDays(30)))
    assert.strictEqual(end(inDays(-3), "startup"), told(inDays(30)))
  })

  it("goes on after the end of the same plan", () => {
    assert.strictEqual(
      end(inMs(1), "personal"),
      told(DateTime.add(inDays(30), { milliseconds: 1 }))
    )
    assert.strictEqual(end(inDays(30), "personal"), told(inDays(60)))
  })

  it("for another plan turns what is left into its days by what both cost", () => {
    // 20 days of 5 USDC in 30 days are worth 2 days of 50 USDC in 30 days.
    assert.strictEqual(end(inDays(20), "startup"), told(inDays(32)))
  })
})
