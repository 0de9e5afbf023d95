/** What a caller hears who wrote an amount that is none: how to write it, its bound included. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { InvalidAmount } from "../../../core/operation/refusal.ts"
import * as Amount from "../../../core/policy/amount.ts"

describe("the amount of a transfer", () => {
  it.effect("is read up to its bound, and the refusal of a larger one names the bound", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Amount.read("1000000000000"), 10n ** 18n)
      const refusal = yield* Effect.flip(Amount.read("1000000000000.000001"))
      assert.instanceOf(refusal, InvalidAmount)
      assert.include(refusal.message, "up to a trillion")
    })
  )
})
