/** Who makes a key reads what each of its scopes allows. */
import { assert, it } from "@effect/vitest"
import { scopeOffer } from "../../../adapters/pages/console/scope-words.ts"
import { operations } from "../../../core/treasury/operations.ts"

it("says of each scope of the catalogue what it allows, and whether it changes anything", () => {
  const textOf = new Map(scopeOffer.choices.map(({ text, value }) => [value, text]))
  for (const { name, scope, sideEffect } of operations) {
    const text = textOf.get(scope)
    assert.isString(text, name)
    // A quote is kept, and changes nothing.
    const isRead = sideEffect === "read" || name.startsWith("quote_")
    if (!isRead) assert.notMatch(text ?? "", /^See /u, name)
  }
  assert.lengthOf(new Set(textOf.values()), scopeOffer.choices.length)
})
