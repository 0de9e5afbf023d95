/** What every keeper of rate limits must do: count each key and rate limit alone, refuse what is over, forget in time. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { RateLimits } from "../../core/operation/rate-limits.ts"

/** The layer must allow three reads, two writes, two failures and two anonymous requests a minute. */
export const suite = (name: string, layer: Layer.Layer<RateLimits>) =>
  it.layer(layer)(`${name}: rate limits`, (it) => {
    it.effect("allows as many as the rate limit, then says how long to wait", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(60_000)
        for (const remaining of [2, 1, 0]) {
          const allowances = yield* limits.consume("key-1", "reads")
          assert.deepInclude(allowances, { allowed: true, limit: 3, remaining })
        }
        const over = yield* limits.consume("key-1", "reads")
        assert.deepInclude(over, { allowed: false, remaining: 0 })
        assert.isAtLeast(over.resetSeconds, 1)
        yield* TestClock.adjust(over.resetSeconds * 1000)
        assert.isTrue((yield* limits.consume("key-1", "reads")).allowed)
      })
    )

    it.effect("counts every key and every rate limit alone", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(600_000)
        for (let call = 0; call < 4; call++) yield* limits.consume("key-2", "reads")
        assert.isTrue((yield* limits.consume("key-2", "writes")).allowed)
        assert.isTrue((yield* limits.consume("key-3", "reads")).allowed)
      })
    )

    it.effect("asking whether a client may try draws nothing", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(1_200_000)
        const client = "192.0.2.7"
        for (let asked = 0; asked < 5; asked++) yield* limits.allowanceOf(client, "failed_keys")
        assert.isTrue((yield* limits.consumeClient(client, "failed_keys")).allowed)
        assert.isTrue((yield* limits.consumeClient(client, "failed_keys")).allowed)
        assert.isFalse((yield* limits.allowanceOf(client, "failed_keys")).allowed)
        assert.isTrue((yield* limits.allowanceOf("192.0.2.8", "failed_keys")).allowed)
      })
    )

    it.effect("counts refused keys, sign-ins, payments and visits of a client each alone", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(1_800_000)
        const client = "192.0.2.9"
        for (let call = 0; call < 3; call++) yield* limits.consumeClient(client, "failed_keys")
        assert.isFalse((yield* limits.consumeClient(client, "failed_keys")).allowed)
        for (const other of ["failed_sign_ins", "failed_payments", "payment_links"] as const) {
          assert.isTrue((yield* limits.consumeClient(client, other)).allowed, other)
        }
      })
    )
  })
