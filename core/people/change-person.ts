/**
 * Changes what a person may do, and removes them: from the commit on their sessions are over and nothing they
 * sign counts. The last owner stays an owner, so that the account can never be locked out of itself.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import type { Human } from "../humans/human.ts"
import { Humans } from "../humans/human-store.ts"
import { withdrawEnrolmentsOf } from "../humans/issue-enrolment.ts"
import { suspendPasskey } from "../humans/suspend-passkey.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { NotFound } from "../operation/refusal.ts"
import { Role } from "../operation/role.ts"
import { refusals as ofAuthority, requireOwner } from "./authority.ts"
import * as Person from "./person.ts"

/** The person and all people of the caller's account, held until the transaction ends. */
const personForUpdate = Effect.fnUntraced(function* (personId: string) {
  const { accountId } = yield* Caller
  const people = yield* (yield* Humans).lock(accountId)
  const person = people.find(({ id }) => id === personId)
  if (person === undefined) return yield* noSuch(Person.missing)
  return { person, people }
})

const requireAnotherOwner = Effect.fnUntraced(function* (
  person: Human,
  people: ReadonlyArray<Human>
) {
  if (!Person.isLastOwner(person, people)) return
  return yield* new Person.LastOwner({
    param: "personId",
    message: "This is the account's only owner; make another person an owner first.",
    next: { operation: "list_people", args: {} }
  })
})

const refusals = [NotFound, Person.LastOwner, ...ofAuthority] as const

export const changeRole = Operation.make("change_role", {
  summary: "Changes what a person may do: a viewer reads, an approver acts, an owner does all.",
  next: "list_people shows the roles.",
  scope: "account:read",
  sideEffect: "write",
  role: "owner",
  authority: requireOwner,
  input: { personId: Person.PersonId, role: Role },
  output: Person.fields,
  refusals,
  example: { input: { personId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", role: "approver" } },
  handle: Effect.fnUntraced(function* ({ personId, role }) {
    const { accountId, keyId } = yield* Caller
    const { people, person } = yield* personForUpdate(personId)
    if (person.role === role) return Person.view(person)
    if (role !== "owner") yield* requireAnotherOwner(person, people)
    yield* (yield* Humans).changeRole(accountId, person.id, role)
    yield* record({
      accountId,
      actor: keyId,
      action: "person.role_changed",
      subjectType: "human",
      subjectId: person.id,
      facts: { from: person.role, to: role }
    })
    return Person.view({ ...person, role })
  })
})

export const removePerson = Operation.make("remove_person", {
  summary:
    "Removes a person: their sessions end, their passkeys stop working, an open invitation is withdrawn. API keys they created stay.",
  next: "list_api_keys shows the keys there are; revoke_api_key revokes one.",
  scope: "account:read",
  sideEffect: "write",
  role: "owner",
  authority: requireOwner,
  input: { personId: Person.PersonId },
  output: Person.fields,
  refusals,
  example: { input: { personId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ personId }) {
    const { accountId, keyId } = yield* Caller
    const humans = yield* Humans
    const { people, person } = yield* personForUpdate(personId)
    yield* requireAnotherOwner(person, people)
    for (const { id, suspendedAt } of yield* humans.passkeysOf(person.id)) {
      if (suspendedAt === null) yield* suspendPasskey(accountId, id, "revoked", keyId)
    }
    yield* withdrawEnrolmentsOf(person, keyId)
    yield* humans.remove(accountId, person.id, yield* DateTime.now)
    yield* record({
      accountId,
      actor: keyId,
      action: "person.removed",
      subjectType: "human",
      subjectId: person.id,
      facts: { role: person.role }
    })
    return Person.view(person)
  })
})
