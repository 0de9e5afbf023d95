/** A UUID is the same id in either case, in every field that takes one, and a call that names it so is the same call. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inLowerCase } from "../../../core/encoding/id.ts"
import { createApiKey } from "../../../core/keys/create-key.ts"
import { decode, encodeInput } from "../../../core/operation/input.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { operations } from "../../../core/treasury/operations.ts"

const lower = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"
const upper = lower.toUpperCase()

/** Ids that are no UUIDs: a chain's, an event's, and those of a merchant. */
const othersForm = /^(?:(?:from|to)?chainId|eventId|externalId|customerExternalId)$/iu

const idFields = operations.flatMap((operation: Operation.Any) =>
  Object.keys(operation.input.fields)
    .filter((field) => /(?:^id|Id|^idOrPid)$/u.test(field) && !othersForm.test(field))
    .map((field) => ({ operation, field }))
)

it("there are ids to read", () => assert.isAbove(idFields.length, 60))

for (const { field, operation } of idFields) {
  it.effect(`${operation.name} reads ${field} in capitals`, () =>
    Effect.gen(function* () {
      const asked = { ...operation.example.input, [field]: upper }
      const read = (yield* decode(operation, asked)) as Readonly<Record<string, unknown>>
      assert.strictEqual(read[field], lower)
      // The fingerprint under an idempotency key is taken of this.
      const same = yield* decode(operation, { ...asked, [field]: lower })
      assert.deepStrictEqual(
        yield* encodeInput(operation, read),
        yield* encodeInput(operation, same)
      )
    })
  )
}

it.effect("a key that may pay from few wallets has each once, whatever its case", () =>
  Effect.gen(function* () {
    const asked = { ...createApiKey.example.input, walletIds: [upper] }
    const { walletIds } = (yield* decode(createApiKey, asked)) as { walletIds: unknown }
    assert.deepStrictEqual(walletIds, [lower])
    const twice = yield* Effect.flip(decode(createApiKey, { ...asked, walletIds: [upper, lower] }))
    assert.strictEqual(twice.param, "walletIds")
  })
)

it("what only looks like an id keeps its case", () => {
  for (const text of ["pr_4fzQx0aB7cDeFgHiJkLmNo", upper.replaceAll("-", ""), `{${upper}}`, ""]) {
    assert.strictEqual(inLowerCase(text), text)
  }
  assert.strictEqual(inLowerCase(`human:${upper}`), `human:${lower}`)
})
