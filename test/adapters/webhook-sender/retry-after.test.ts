/** Retry-After is read as seconds or as a date, and as nothing when it is neither. */
import { assert, it } from "@effect/vitest"
import * as RetryAfter from "../../../adapters/webhook-sender/retry-after.ts"

const nowMs = Date.UTC(2026, 7, 19, 12, 0, 0)

it("whole seconds are a wait", () => {
  assert.strictEqual(RetryAfter.read("0", nowMs), 0)
  assert.strictEqual(RetryAfter.read(" 120 ", nowMs), 120_000)
  assert.strictEqual(RetryAfter.read(["5", "9"], nowMs), 5000)
})

it("a date is the wait until then, none when it has passed", () => {
  assert.strictEqual(RetryAfter.read("Wed, 19 Aug 2026 12:01:30 GMT", nowMs), 90_000)
  assert.strictEqual(RetryAfter.read("Wed, 19 Aug 2026 11:59:00 GMT", nowMs), 0)
})

it("anything else asks for nothing", () => {
  const texts = [
    "",
    "-1",
    "1.5",
    "1e3",
    "soon",
    "2026-08-19T12:01:30Z",
    "Wed, 99 Aug 2026 99:99:99 GMT",
    "Wed, 19 Aug 2026 12:01:30 GMT (soon)",
    "on Wed, 19 Aug 2026 12:01:30 GMT"
  ]
  for (const text of [...texts, "9".repeat(400), "Wed, 19 Aug 2026 12:01:30 +0100"]) {
    assert.isNull(RetryAfter.read(text, nowMs), text)
  }
  assert.isNull(RetryAfter.read(undefined, nowMs))
  assert.isNull(RetryAfter.read([], nowMs))
})
