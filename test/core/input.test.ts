/** How input is refused: the field by its path, and what to write instead. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { updateCosignerRules } from "../../core/approvals/update-rules.ts"
import * as Input from "../../core/operation/input.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { createPaymentRequest } from "../../core/payments/open.ts"
import { operations } from "../../core/treasury/operations.ts"
import { listWallets } from "../../core/wallets/find.ts"

const rule = { action: "send", minAmountMicro: "5", maxAmountMicro: null, requiredApprovals: 1 }

it.effect.each([
  ["minAmountMicro", 5, 'minAmountMicro must be a string; write it in quotes: "5".'],
  ["maxAmountMicro", 7, 'maxAmountMicro must be a string or null; write it in quotes: "7".'],
  ["minAmountMicro", null, "minAmountMicro must be a string."]
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

/** `count` fields that no operation knows. */
const strays = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`stray${index}`, index]))

it.effect.each([
  [20, undefined],
  [21, 1],
  [4_500, 4_480]
] as const)("of %i unknown fields twenty are listed and the rest counted", ([count, more]) =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(Input.decode(listWallets, strays(count)))
    const { details = {} } = refused
    assert.strictEqual(refused._tag, "UNKNOWN_FIELD")
    const problems = details.problems as ReadonlyArray<{ readonly param: string }>
    const params = problems.map(({ param }) => param)
    assert.deepStrictEqual(params, Object.keys(strays(20)))
    assert.strictEqual(details.moreProblems, more)
    assert.isBelow(JSON.stringify(details).length, 4_000)
  })
)

it.effect("of many wrong fields twenty are listed and the rest counted", () =>
  Effect.gen(function* () {
    const rules = Array.from({ length: 15 }, () => ({
      ...rule,
      minAmountMicro: 5,
      action: "steal"
    }))
    const { details } = yield* Effect.flip(Input.decode(updateCosignerRules, { rules }))
    assert.lengthOf(details?.problems as ReadonlyArray<unknown>, 20)
    assert.strictEqual(details?.moreProblems, 10)
  })
)

it.effect("no refusal quotes a pattern: it says in words what a text must be", () =>
  Effect.gen(function* () {
    let asked = 0
    for (const operation of operations) {
      for (const field of Object.keys(operation.input.fields)) {
        const input = { ...operation.example.input, [field]: "\u0007 ~" }
        const outcome = yield* Effect.result(Input.decode(operation as Operation.Any, input))
        if (outcome._tag === "Success") continue
        asked += 1
        assert.notMatch(outcome.failure.message, /RegExp|\^\[/u, `${operation.name} ${field}`)
      }
    }
    assert.isAbove(asked, 100)
  })
)
