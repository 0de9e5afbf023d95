/** What a person is told in place of names that only programs call; what else is refused stays as it is. */
import { assert, it } from "@effect/vitest"
import { forPeople } from "../../../adapters/console/words-for-people.ts"
import { NotFound } from "../../../core/operation/refusal.ts"
import { InsufficientAllowance } from "../../../core/trade/allowed.ts"

it("tells a person what to approve before a trade, at the same field", () => {
  const refusal = new InsufficientAllowance({
    param: "amountUsd",
    message: "The spender may take 0 of the 10000000 units that are sold; approve them first.",
    details: { allowance: "0", required: "10000000", flow: "intent_swap" },
    next: { operation: "propose_token_approve", args: {} }
  })
  const told = forPeople("propose_swap", refusal)
  assert.deepInclude(told, { _tag: "INSUFFICIENT_ALLOWANCE", param: "amountUsd" })
  assert.include(told.message, "may take 0 of the 10000000 smallest units")
  assert.include(told.message, "for swaps first, by the link above the form")
})

it("leaves every other refusal as it is", () => {
  const refusal = new NotFound({ param: "walletId", message: "There is no such wallet." })
  assert.strictEqual(forPeople("create_checkout_session", refusal), refusal)
})
