/** The forms of what only owners do: inviting a person, and the account's settings. */
import { Effect } from "effect"
import type { PeopleName } from "../../../core/treasury/operations.ts"
import type { Form } from "./parts/form.ts"

export const peopleForms: { readonly [Of in PeopleName]?: Form } = {
  invite_person: {
    section: "settings",
    title: "Invite a person",
    button: "Invite with your passkey",
    next: "/console/people",
    what: "They get a link by e-mail, valid for 72 hours, to create a passkey. You see the link once as well, to hand it over yourself."
  },
  update_account_settings: {
    section: "settings",
    title: "Change the settings",
    button: "Save with your passkey",
    next: "/console/settings",
    without: ["secondPersonSigns"],
    what: "What payers see on your payment pages, and what people are told by e-mail. A field left empty keeps its value.",
    values: ({ calls }) =>
      Effect.map(calls.get_account({}), ({ settings }) =>
        Object.fromEntries(
          Object.entries(settings).flatMap(([field, value]) =>
            // A picture stays unless another one is given; its text helps nobody.
            value === null || field === "logoUrl"
              ? []
              : [[field, Array.isArray(value) ? value.join(" ") : String(value)]]
          )
        )
      )
  }
}
