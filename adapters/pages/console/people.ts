/** The people of the account and what they may do; owners invite, change and remove them under their passkey. */
import { Effect } from "effect"
import { Role } from "../../../core/operation/role.ts"
import { consolePage, guarded } from "./parts/guard.ts"

const { People } = await import("./people-page.tsx")

export const peoplePage = guarded("/console/people", ({ calls, signedIn, who }) =>
  Effect.gen(function* () {
    const { people } = yield* calls.list_people({ limit: 100 })
    const { id, role } = signedIn.human
    const rows = people.map((person) => ({
      ...person,
      isSelf: person.personId === id,
      otherRoles: Role.literals.filter((each) => each !== person.role)
    }))
    return consolePage("People", People({ who, people: rows, isOwner: role === "owner" }))
  })
)
