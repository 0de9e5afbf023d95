/**
 * Refusals whose next step names an operation, in the words of the console. Code and field stay as they are; a person
 * is told what to do on these pages.
 */
import { NotFound, type Refusal } from "../../core/operation/refusal.ts"

/** By what was asked and the field that was refused. */
const words: Readonly<Record<string, string>> = {
  "create_checkout_session customer.externalId":
    "There is no customer with this id on this chain yet. Add the customer first, by the link above the form; then create the checkout link."
}

export const forPeople = (operation: string, refusal: Refusal): Refusal => {
  if (refusal._tag !== "NOT_FOUND") return refusal
  const message = words[`${operation} ${refusal.param ?? ""}`]
  return message === undefined
    ? refusal
    : new NotFound({ ...(refusal.param === undefined ? {} : { param: refusal.param }), message })
}
