/**
 * Invites a person by a one-time link, which is mailed to them and shown once to whoever invites. Inviting them
 * again ends the link before; who has joined is not invited again.
 */
import { DateTime, Effect, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import { defaultHours } from "../humans/enrolment.ts"
import { type Human, isSameEmail, maxHumans } from "../humans/human.ts"
import { Humans } from "../humans/human-store.ts"
import { issueEnrolment, withdrawEnrolmentsOf } from "../humans/issue-enrolment.ts"
import { EmailAddress } from "../mail/address.ts"
import { queueEmail } from "../mail/send.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Role } from "../operation/role.ts"
import { Ids } from "../ports/ids.ts"
import * as Timestamp from "../time/timestamp.ts"
import { refusals, requireOwner } from "./authority.ts"
import * as Person from "./person.ts"

const may: Readonly<Record<Role, string>> = {
  viewer: "see everything and change nothing",
  approver: "propose and approve payments",
  owner: "do everything, and say who else may"
}

const invitationText = (account: string, siteUrl: string, role: Role, url: string) =>
  `You are invited to the account "${account}" at ${siteUrl}. There you can ${may[role]}.

Open this link to create your passkey and sign in:

${url}

The link works once, for ${defaultHours.invitation} hours; links that were sent before no longer work.

If you did not expect this, do nothing.
`

/** The person with this address, or a new one, who was invited and has not come yet. */
const invited = Effect.fnUntraced(function* (
  wanted: Pick<Human, "name" | "role"> & { readonly email: string }
) {
  const { accountId, keyId } = yield* Caller
  const humans = yield* Humans
  const people = yield* humans.lock(accountId)
  const known = people.find(({ email }) => isSameEmail(email, wanted.email))
  if (known !== undefined && (known.joinedAt !== null || known.name !== wanted.name)) {
    return yield* new InvalidRequest({
      param: "email",
      message:
        known.joinedAt === null
          ? `This address is invited as ${known.name}; use the same name, or remove them first.`
          : "A person with this address is in the account already; change_role changes what they may do.",
      next: { operation: "list_people", args: {} }
    })
  }
  if (known !== undefined) {
    yield* withdrawEnrolmentsOf(known, keyId)
    if (known.role !== wanted.role) yield* humans.changeRole(accountId, known.id, wanted.role)
    return { ...known, role: wanted.role }
  }
  if (people.length >= maxHumans) {
    return yield* new InvalidRequest({
      message: `An account can have at most ${maxHumans} people; remove one first.`,
      next: { operation: "list_people", args: {} }
    })
  }
  const human: Human = {
    ...wanted,
    id: yield* (yield* Ids).uuid,
    accountId,
    createdAt: yield* DateTime.now,
    joinedAt: null,
    removedAt: null
  }
  yield* humans.add(human)
  return human
})

export const invitePerson = Operation.make("invite_person", {
  summary:
    "Invites a person to the account's console. They get a link by e-mail, valid for 72 hours, to create a passkey.",
  next: "list_people shows who has joined; invite_person with the same address sends a new link.",
  scope: "account:read",
  sideEffect: "write",
  role: "owner",
  authority: requireOwner,
  input: {
    name: Text.Name.annotate({ description: "What the person is called, 2 to 64 characters." }),
    email: EmailAddress,
    role: Role
  },
  output: {
    ...Person.fields,
    url: Schema.optionalKey(Schema.String).annotate({
      description: "The one-time link, for that person alone. Whoever opens it gets access."
    }),
    secretAvailable: Schema.Boolean,
    expiresAt: Timestamp.Encoded
  },
  refusals: [NotFound, ...refusals],
  secrets: ["url"],
  example: { input: { name: "Ada Byron", email: "ada@example.com", role: "approver" } },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId, keyId } = yield* Caller
    const account = yield* (yield* Accounts).find(accountId)
    if (account === undefined) return yield* new NotFound({ message: "There is no such account." })
    const person = yield* invited(input)
    const { email, id: humanId, name, role } = person
    const link = { accountId, purpose: "invitation", humanId, name, role, email } as const
    const { enrolment, url } = yield* issueEnrolment(link, keyId)
    const { siteUrl } = yield* Deployment
    yield* queueEmail({
      accountId,
      purpose: "invitation",
      to: input.email,
      subject: `Your invitation to ${siteUrl.replace(/^https?:\/\//u, "")}`,
      text: invitationText(account.name, siteUrl, role, url),
      expiresAt: enrolment.expiresAt
    })
    yield* record({
      accountId,
      actor: keyId,
      action: "person.invited",
      subjectType: "human",
      subjectId: humanId,
      facts: { role }
    })
    const { expiresAt } = enrolment
    return { ...Person.view(person), url, secretAvailable: true, expiresAt }
  })
})
