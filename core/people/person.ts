/**
 * A person as their account sees them: a human with a role, who was invited and has joined since. An account
 * always keeps an owner who has joined, because nobody else can make another one.
 */
import { Schema } from "effect"
import { Id } from "../encoding/id.ts"
import type { Human } from "../humans/human.ts"
import { define } from "../operation/refusal.ts"
import { Role } from "../operation/role.ts"
import * as Timestamp from "../time/timestamp.ts"

export const PersonId = Id("From list_people.")

export const fields = {
  personId: Schema.String,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  role: Role,
  status: Schema.Literals(["invited", "active"]).annotate({
    description: "A person is invited until they make their first passkey."
  }),
  createdAt: Timestamp.Encoded,
  joinedAt: Schema.NullOr(Timestamp.Encoded)
}

export const view = ({ createdAt, email, id, joinedAt, name, role }: Human) => ({
  ...{ personId: id, name, email, role, createdAt, joinedAt },
  status: joinedAt === null ? ("invited" as const) : ("active" as const)
})

/** Told of an id that no person of the account has. */
export const missing = { param: "personId", what: "person", operation: "list_people" }

export class LastOwner extends define("LAST_OWNER", {
  kind: "conflict",
  meaning: "The account would be left without an owner; make another person an owner first."
}) {}

/** Whether a person is the only one who can say who may act. */
export const isLastOwner = ({ id }: Human, people: ReadonlyArray<Human>): boolean => {
  const owners = people.filter(({ joinedAt, role }) => role === "owner" && joinedAt !== null)
  return owners.length === 1 && owners[0]?.id === id
}
