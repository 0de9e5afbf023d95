/** Rate limits are per key and kind of call, whole again at the full minute, and bounded in memory. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryRateLimits from "../../../adapters/memory/rate-limits.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"

const small = MemoryRateLimits.layer({
  reads: 3,
  writes: 2,
  quotes: 1,
  confirms: 1,
  failures: 2,
  anonymous: 2
})

it.effect("the contract's figures hold when none are given", () =>
  Effect.gen(function* () {
    const { consume, consumeClient } = yield* RateLimits
    const limits = yield* Effect.forEach(
      ["reads", "writes", "quotes", "confirms"] as const,
      (each) => Effect.map(consume("key-1", each), ({ limit }) => limit)
    )
    assert.deepStrictEqual(limits, [600, 120, 60, 30])
    assert.strictEqual((yield* consumeClient("192.0.2.1", "failed_keys")).limit, 30)
    assert.strictEqual((yield* consumeClient("192.0.2.1", "payment_links")).limit, 600)
    const reads = yield* Effect.replicateEffect(consume("key-2", "reads"), 601)
    assert.strictEqual(reads.filter(({ allowed }) => allowed).length, 600)
  }).pipe(Effect.provide(MemoryRateLimits.layer()))
)

it.effect(
  "a key draws its rate limit down to nothing, and has it whole again at the next minute",
  () =>
    Effect.gen(function* () {
      const { consume } = yield* RateLimits
      yield* TestClock.setTime(60_000 + 15_500)
      const allowances = yield* Effect.replicateEffect(consume("key-1", "reads"), 5)
      assert.deepStrictEqual(
        allowances.map(({ allowed, remaining }) => [allowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0]
        ]
      )
      assert.isTrue(
        allowances.every(({ limit, resetSeconds }) => limit === 3 && resetSeconds === 45)
      )
      yield* TestClock.setTime(120_000 - 1)
      assert.deepStrictEqual(yield* consume("key-1", "reads"), {
        allowed: false,
        limit: 3,
        remaining: 0,
        resetSeconds: 1
      })
      yield* TestClock.setTime(120_000)
      assert.deepStrictEqual(yield* consume("key-1", "reads"), {
        allowed: true,
        limit: 3,
        remaining: 2,
        resetSeconds: 60
      })
    }).pipe(Effect.provide(small))
)

it.effect("no key and no rate limit draws on another", () =>
  Effect.gen(function* () {
    const { consume } = yield* RateLimits
    yield* Effect.replicateEffect(consume("key-1", "reads"), 4)
    assert.isTrue((yield* consume("key-1", "writes")).allowed)
    assert.isTrue((yield* consume("key-1", "quotes")).allowed)
    assert.isTrue((yield* consume("key-2", "reads")).allowed)
    assert.isFalse((yield* consume("key-1", "reads")).allowed)
  }).pipe(Effect.provide(small))
)

it.effect("an address that failed too often may not try until the next minute", () =>
  Effect.gen(function* () {
    const { consumeClient, allowanceOf } = yield* RateLimits
    yield* Effect.replicateEffect(allowanceOf("198.51.100.7", "failed_keys"), 10)
    assert.deepStrictEqual(yield* allowanceOf("198.51.100.7", "failed_keys"), {
      allowed: true,
      limit: 2,
      remaining: 2,
      resetSeconds: 60
    })
    assert.isTrue((yield* consumeClient("198.51.100.7", "failed_keys")).allowed)
    assert.isTrue((yield* allowanceOf("198.51.100.7", "failed_keys")).allowed)
    assert.isTrue((yield* consumeClient("198.51.100.7", "failed_keys")).allowed)
    assert.isFalse((yield* allowanceOf("198.51.100.7", "failed_keys")).allowed)
    assert.isFalse((yield* consumeClient("198.51.100.7", "failed_keys")).allowed)
    assert.isTrue((yield* allowanceOf("198.51.100.8", "failed_keys")).allowed)
    yield* TestClock.adjust("1 minute")
    assert.isTrue((yield* allowanceOf("198.51.100.7", "failed_keys")).allowed)
  }).pipe(Effect.provide(small))
)

it.effect("a flood from countless addresses forgets the earliest rather than growing", () =>
  Effect.gen(function* () {
    const { consumeClient, allowanceOf } = yield* RateLimits
    const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    yield* consumeClient(addressOf(0), "failed_keys")
    yield* consumeClient(addressOf(1), "failed_keys")
    for (let n = 2; n <= 100_000; n++) yield* consumeClient(addressOf(n), "failed_keys")
    const remaining = yield* Effect.forEach([0, 1, 100_000], (n) =>
      Effect.map(allowanceOf(addressOf(n), "failed_keys"), (allowance) => allowance.remaining)
    )
    assert.deepStrictEqual(remaining, [2, 1, 1])
  }).pipe(Effect.provide(small))
)
