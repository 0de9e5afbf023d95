/** How input is refused: the field by its path, and what to write instead. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { updateCosignerRules } from "../../core/cosigners/update-rules.ts"
import * as Input from "../../core/input.ts"
import { createPaymentRequest } from "../../core/payments/open.ts"

const rule = { action: "send", minAmountMicro: "5", maxAmountMicro: null, requiredApprovals: 1 }

it.effect.each([
  ["minAmountMicro", 5, 'and a number came: write it in quotes, "5".'],
  ["maxAmountMicro", 7, 'and a number came: write it in quotes, "7".'],
  ["minAmountMicro", null, "expected string."]
] as const)(
  "an amount of a rule in %s as %s is refused with how to write it",
  ([field, value, end]) =>
    Effect.gen(function* () {
      const rules = [rule, { ...rule, [field]: value }]
      const { message, param } = yield* Effect.flip(Input.decode(updateCosignerRules, { rules }))
      assert.strictEqual(param, `rules.1.${field}`)
      assert.isTrue(message.endsWith(end), message)
    })
)

it.effect("where a number may stand nobody is told to write it in quotes", () =>
  Effect.gen(function* () {
    const input = { walletMappingId: "w", amountUsd: Number.NaN }
    const { message } = yield* Effect.flip(Input.decode(createPaymentRequest, input))
    assert.notInclude(message, "in quotes")
  })
)
