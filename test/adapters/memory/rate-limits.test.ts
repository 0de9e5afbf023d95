/** Budgets are per key and kind of call, whole again at the full minute, and bounded in memory. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryRateLimits from "../../../adapters/memory/rate-limits.ts"
import { RateLimits } from "../../../core/ports/rate-limits.ts"

const small = MemoryRateLimits.layer({ reads: 3, writes: 2, quotes: 1, confirms: 1, failures: 2 })

it.effect("the contract's figures hold when none are given", () =>
  Effect.gen(function* () {
    const { draw, drawFailure } = yield* RateLimits
    const limits = yield* Effect.forEach(
      ["reads", "writes", "quotes", "confirms"] as const,
      (each) => Effect.map(draw("key-1", each), ({ limit }) => limit)
    )
    assert.deepStrictEqual(limits, [600, 120, 60, 30])
    assert.strictEqual((yield* drawFailure("192.0.2.1")).limit, 30)
    const reads = yield* Effect.replicateEffect(draw("key-2", "reads"), 601)
    assert.strictEqual(reads.filter(({ allowed }) => allowed).length, 600)
  }).pipe(Effect.provide(MemoryRateLimits.layer()))
)

it.effect("a key draws its budget down to nothing, and has it whole again at the next minute", () =>
  Effect.gen(function* () {
    const { draw } = yield* RateLimits
    yield* TestClock.setTime(60_000 + 15_500)
    const drawn = yield* Effect.replicateEffect(draw("key-1", "reads"), 5)
    assert.deepStrictEqual(
      drawn.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0]
      ]
    )
    assert.isTrue(drawn.every(({ limit, resetSeconds }) => limit === 3 && resetSeconds === 45))
    yield* TestClock.setTime(120_000 - 1)
    assert.deepStrictEqual(yield* draw("key-1", "reads"), {
      allowed: false,
      limit: 3,
      remaining: 0,
      resetSeconds: 1
    })
    yield* TestClock.setTime(120_000)
    assert.deepStrictEqual(yield* draw("key-1", "reads"), {
      allowed: true,
      limit: 3,
      remaining: 2,
      resetSeconds: 60
    })
  }).pipe(Effect.provide(small))
)

it.effect("no key and no budget draws on another", () =>
  Effect.gen(function* () {
    const { draw } = yield* RateLimits
    yield* Effect.replicateEffect(draw("key-1", "reads"), 4)
    assert.isTrue((yield* draw("key-1", "writes")).allowed)
    assert.isTrue((yield* draw("key-1", "quotes")).allowed)
    assert.isTrue((yield* draw("key-2", "reads")).allowed)
    assert.isFalse((yield* draw("key-1", "reads")).allowed)
  }).pipe(Effect.provide(small))
)

it.effect("an address that failed too often may not try until the next minute", () =>
  Effect.gen(function* () {
    const { drawFailure, mayTry } = yield* RateLimits
    yield* Effect.replicateEffect(mayTry("198.51.100.7"), 10)
    assert.deepStrictEqual(yield* mayTry("198.51.100.7"), {
      allowed: true,
      limit: 2,
      remaining: 2,
      resetSeconds: 60
    })
    assert.isTrue((yield* drawFailure("198.51.100.7")).allowed)
    assert.isTrue((yield* mayTry("198.51.100.7")).allowed)
    assert.isTrue((yield* drawFailure("198.51.100.7")).allowed)
    assert.isFalse((yield* mayTry("198.51.100.7")).allowed)
    assert.isFalse((yield* drawFailure("198.51.100.7")).allowed)
    assert.isTrue((yield* mayTry("198.51.100.8")).allowed)
    yield* TestClock.adjust("1 minute")
    assert.isTrue((yield* mayTry("198.51.100.7")).allowed)
  }).pipe(Effect.provide(small))
)

it.effect(
  "one IPv6 client is its whole /64, and an IPv4 client the same however it is written",
  () =>
    Effect.gen(function* () {
      const { drawFailure, mayTry } = yield* RateLimits
      yield* drawFailure("2a00:1450:4001:81c::1")
      yield* drawFailure("2A00:1450:4001:081c:ffff:ffff:ffff:ffff")
      assert.isFalse((yield* mayTry("2a00:1450:4001:81c:1234::")).allowed)
      assert.isTrue((yield* mayTry("2a00:1450:4001:81d::1")).allowed)
      yield* drawFailure("::ffff:203.0.113.9")
      yield* drawFailure("203.0.113.9")
      assert.isFalse((yield* mayTry("::ffff:cb00:7109")).allowed)
      yield* Effect.replicateEffect(drawFailure("fe80::1%eth0"), 2)
      assert.isFalse((yield* mayTry("fe80::2%eth1")).allowed)
      yield* Effect.replicateEffect(drawFailure("unknown"), 2)
      assert.isFalse((yield* mayTry("unknown")).allowed)
    }).pipe(Effect.provide(small))
)

it.effect("a flood from countless addresses forgets the earliest rather than growing", () =>
  Effect.gen(function* () {
    const { drawFailure, mayTry } = yield* RateLimits
    const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    yield* drawFailure(addressOf(0))
    yield* drawFailure(addressOf(1))
    for (let n = 2; n <= 100_000; n++) yield* drawFailure(addressOf(n))
    const remaining = yield* Effect.forEach([0, 1, 100_000], (n) =>
      Effect.map(mayTry(addressOf(n)), (allowance) => allowance.remaining)
    )
    assert.deepStrictEqual(remaining, [2, 1, 1])
  }).pipe(Effect.provide(small))
)
