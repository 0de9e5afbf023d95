/**
 * Refusals whose next step names an operation, in the words of the console. Code and field stay as they are; a person
 * is told what to do on these pages.
 */
import { NotFound, type Refusal } from "../../core/operation/refusal.ts"
import { InsufficientAllowance } from "../../core/trade/allowed.ts"

/** By what was asked and the field that was refused. */
const words: Readonly<Record<string, string>> = {
  "create_checkout_session customer.externalId":
    "There is no customer with this id on this chain yet. Add the customer first, by the link above the form; then create the checkout link."
}

const fieldOf = ({ param }: Refusal) => (param === undefined ? {} : { param })

const ofAllowance = (refusal: InsufficientAllowance): Refusal => {
  const { allowance, flow, required } = refusal.details ?? {}
  const trade = flow === "intent_swap" ? "swaps" : String(flow).replaceAll("_", " ")
  return new InsufficientAllowance({
    ...fieldOf(refusal),
    message: `Whoever carries this out may take ${allowance} of the ${required} smallest units that are sold. Approve ${required} of them for ${trade} first, by the link above the form, and confirm that; then propose this again.`
  })
}

export const forPeople = (operation: string, refusal: Refusal): Refusal => {
  if (refusal instanceof InsufficientAllowance) return ofAllowance(refusal)
  if (refusal._tag !== "NOT_FOUND") return refusal
  const message = words[`${operation} ${refusal.param ?? ""}`]
  return message === undefined ? refusal : new NotFound({ ...fieldOf(refusal), message })
}
