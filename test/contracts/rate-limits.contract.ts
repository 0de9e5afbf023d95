/** What every keeper of budgets must do: count each key and budget alone, refuse what is over, forget in time. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { RateLimits } from "../../core/ports/rate-limits.ts"

/** The layer must allow three reads, two writes and two failures a minute. */
export const suite = (name: string, layer: Layer.Layer<RateLimits>) =>
  it.layer(layer)(`${name}: rate limits`, (it) => {
    it.effect("allows as many as the budget, then says how long to wait", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(60_000)
        for (const remaining of [2, 1, 0]) {
          const drawn = yield* limits.draw("key-1", "reads")
          assert.deepInclude(drawn, { allowed: true, limit: 3, remaining })
        }
        const over = yield* limits.draw("key-1", "reads")
        assert.deepInclude(over, { allowed: false, remaining: 0 })
        assert.isAtLeast(over.resetSeconds, 1)
        yield* TestClock.adjust(over.resetSeconds * 1000)
        assert.isTrue((yield* limits.draw("key-1", "reads")).allowed)
      })
    )

    it.effect("counts every key and every budget alone", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(600_000)
        for (let drawn = 0; drawn < 4; drawn++) yield* limits.draw("key-2", "reads")
        assert.isTrue((yield* limits.draw("key-2", "writes")).allowed)
        assert.isTrue((yield* limits.draw("key-3", "reads")).allowed)
      })
    )

    it.effect("asking whether a client may try draws nothing", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        yield* TestClock.setTime(1_200_000)
        const client = "192.0.2.7"
        for (let asked = 0; asked < 5; asked++) yield* limits.mayTry(client)
        assert.isTrue((yield* limits.drawFailure(client)).allowed)
        assert.isTrue((yield* limits.drawFailure(client)).allowed)
        assert.isFalse((yield* limits.mayTry(client)).allowed)
        assert.isTrue((yield* limits.mayTry("192.0.2.8")).allowed)
      })
    )
  })
