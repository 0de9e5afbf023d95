/** The retry schedule and what one reply makes of a delivery, as pure rules. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import type { Reply } from "../../../core/ports/webhook-sender.ts"
import { maxAttempts, waitMs, waitsMs } from "../../../core/webhooks/delivery.ts"
import { concluded } from "../../../core/webhooks/dispatch.ts"
import { aDelivery, anEndpoint, anEvent, anId } from "../../support/rows.ts"

const now = DateTime.makeUnsafe("2026-11-21T12:00:00Z")
const answered = (status: number, retryAfterMs: number | null = null): Reply => ({
  _tag: "answered",
  status,
  body: "",
  truncated: false,
  retryAfterMs,
  durationMs: 5
})
const silent: Reply = { _tag: "unanswered", reason: "timeout", message: "10 s", durationMs: 10_000 }
const accountId = anId()
const fresh = aDelivery(anEvent(accountId), anEndpoint(accountId))
const waitOf = (delivery: { readonly nextAttemptAt: DateTime.Utc | null }) =>
  delivery.nextAttemptAt === null
    ? null
    : DateTime.toEpochMillis(delivery.nextAttemptAt) - DateTime.toEpochMillis(now)

describe("A delivery", () => {
  it("has ten attempts over more than 72 hours", () => {
    assert.strictEqual(maxAttempts, 10)
    const hours = waitsMs.reduce((sum, wait) => sum + wait, 0) / 3_600_000
    assert.isAbove(hours, 72)
  })

  it("waits within 20 % of the schedule", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (n, fraction) => {
          const scheduled = waitsMs[n - 1] as number
          assert.isAtLeast(waitMs(n, fraction), Math.floor(scheduled * 0.8))
          assert.isAtMost(waitMs(n, fraction), Math.ceil(scheduled * 1.2))
        }
      )
    )
  })

  it("is delivered by any 2xx and by nothing else", () => {
    for (let status = 100; status < 600; status++) {
      const after = concluded(fresh, answered(status), now, 0.5)
      assert.strictEqual(after.status === "delivered", status >= 200 && status < 300, `${status}`)
    }
  })

  it("ends at 410 without another try", () => {
    const after = concluded(fresh, answered(410), now, 0.5)
    assert.strictEqual(after.status, "gone")
    assert.isNull(after.nextAttemptAt)
  })

  it("is a dead letter after its last attempt", () => {
    const after = concluded({ ...fresh, attemptCount: 9 }, silent, now, 0.5)
    assert.strictEqual(after.status, "failed")
    assert.strictEqual(after.attemptCount, 10)
    assert.isNull(after.nextAttemptAt)
  })

  it("honours Retry-After only between its own wait and the next step of the schedule", () => {
    assert.strictEqual(waitOf(concluded(fresh, answered(503, 60_000), now, 0.5)), 60_000)
    assert.strictEqual(waitOf(concluded(fresh, answered(503, 1_000), now, 0.5)), 30_000)
    assert.strictEqual(waitOf(concluded(fresh, answered(503, 9e9), now, 0.5)), 120_000)
  })
})
