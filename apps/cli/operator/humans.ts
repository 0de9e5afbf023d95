/**
 * `bursar humans`: invites people to the console by a one-time link, lists them, changes what they may do, removes
 * them, and suspends their passkeys.
 */
import { Console, DateTime, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { noSuchAccount } from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { operator } from "../../../core/audit/record.ts"
import * as Text from "../../../core/encoding/text.ts"
import * as Human from "../../../core/humans/human.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import * as People from "../../../core/humans/list-humans.ts"
import * as Passkey from "../../../core/humans/passkey.ts"
import { suspendPasskey } from "../../../core/humans/suspend-passkey.ts"
import { NotFound } from "../../../core/operation/refusal.ts"
import { Role } from "../../../core/operation/role.ts"
import { changeRole, removePerson } from "../../../core/people/change-person.ts"
import { invitePerson } from "../../../core/people/invite.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { misused } from "../exit.ts"
import { account } from "./accounts.ts"
import { asOperator } from "./as-operator.ts"
import { inOffice, inOfficeDurably, inOfficeToRead } from "./office.ts"
import { form, formatFor, show, showTaken } from "./show.ts"

/** A new human by their name, or one there is, who has lost every passkey or wants another. */
const enrolled = Effect.fnUntraced(function* (
  accountId: string,
  name: string | undefined,
  humanId: string | undefined,
  role: Role
) {
  if (humanId === undefined) {
    const wanted = { accountId, purpose: "operator", name: name ?? "", role } as const
    return yield* issueEnrolment(wanted, operator)
  }
  const human = yield* (yield* Humans).find(accountId, humanId)
  if (human === undefined || human.removedAt !== null) {
    return yield* new NotFound({
      param: "human",
      message: "This account has no person with this id."
    })
  }
  // No passkey of theirs has signed for it, so none that ends takes it along.
  const wanted = { accountId, purpose: "operator", humanId, name: human.name } as const
  return yield* issueEnrolment(wanted, operator)
})

/** Who may open the link, and until when. */
const linkFields = {
  humanId: Schema.String,
  name: Schema.String,
  role: Role,
  url: Schema.String,
  expiresAt: Timestamp.Encoded
}

const enrol = Command.make(
  "enrol",
  {
    account,
    name: Flag.String("name").pipe(
      Flag.withDescription("The name of a new person, 2 to 64 characters."),
      Flag.withSchema(Text.Name),
      Flag.optional
    ),
    human: Flag.String("human").pipe(
      Flag.withDescription("The id of a person who needs another passkey."),
      Flag.withMetavar("<id>"),
      Flag.optional
    ),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("What a new person may do. Default: owner."),
      Flag.withDefault("owner")
    ),
    form
  },
  Effect.fnUntraced(function* ({ account, form, human, name, role }) {
    if (Option.isSome(human) === Option.isSome(name)) {
      return yield* misused("Send --name for a new person, or --human for an existing one.")
    }
    const { enrolment, url } = yield* inOffice(
      enrolled(account, Option.getOrUndefined(name), Option.getOrUndefined(human), role)
    )
    yield* Console.error(
      `One-time link for ${enrolment.name}, valid until ${DateTime.formatIso(enrolment.expiresAt)}. Anyone who opens it gets access:`
    )
    if (formatFor(form) === "table") return yield* Console.log(url)
    yield* show(linkFields, { ...enrolment, url }, form)
  })
).pipe(
  Command.withDescription(
    "Prints a one-time link, valid for 24 hours. Anyone who opens it can create a passkey, sign in, and act in that role: an owner does all, an approver approves payments, a viewer reads. Give it only to that person."
  ),
  Command.withShortDescription("Prints a one-time link to create a passkey."),
  Command.withExamples([
    { command: 'bursar humans enrol <account> --name "Ada Byron"' },
    { command: "bursar humans enrol <account> --human <id>" }
  ])
)

const people = Effect.fnUntraced(function* (accountId: string) {
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return yield* noSuchAccount()
  return yield* People.humansOf(accountId)
})

/** For people, passkeys stand in a table of their own: `suspend` takes their ids. */
const tables = {
  humans: Schema.Array(Schema.Struct(Human.fields)),
  passkeys: Schema.Array(Schema.Struct({ ...Passkey.fields, name: Schema.String }))
}
const tablesOf = (humans: Effect.Success<ReturnType<typeof people>>) => ({
  humans,
  passkeys: humans.flatMap(({ name, passkeys }) => passkeys.map((each) => ({ ...each, name })))
})

const list = Command.make(
  "list",
  { account, form },
  Effect.fnUntraced(function* ({ account, form }) {
    const humans = yield* inOfficeToRead(people(account))
    if (formatFor(form) === "table") return yield* show(tables, tablesOf(humans), form)
    const listed = {
      humans: Schema.Array(Schema.Struct(People.fields)),
      hasMore: Schema.Boolean
    }
    yield* show(listed, { humans, hasMore: false }, form)
  })
).pipe(Command.withDescription("Lists an account's people and their passkeys."))

const suspend = Command.make(
  "suspend",
  {
    account,
    passkey: Flag.String("passkey").pipe(
      Flag.withDescription("The passkey's id, from bursar humans list."),
      Flag.withMetavar("<id>")
    ),
    form
  },
  Effect.fnUntraced(function* ({ account, form, passkey }) {
    const { done, ...kept } = yield* inOfficeDurably(
      suspendPasskey(account, passkey, "revoked", operator)
    )
    yield* showTaken(Passkey.fields, done, kept, form)
  })
).pipe(
  Command.withDescription(
    "Suspends a passkey for good and ends its sessions at once, and with them the links for another passkey that the person made in the console. To give the person access again, enrol them with --human."
  ),
  Command.withShortDescription("Suspends a passkey and ends its sessions.")
)

const person = Flag.String("human").pipe(
  Flag.withDescription("The person's id, from bursar humans list."),
  Flag.withMetavar("<id>")
)
const newRole = Flag.Literals("role", Role.literals).pipe(
  Flag.withDescription("What the person may do: viewer, approver or owner.")
)

const invite = Command.make(
  "invite",
  {
    account,
    name: Flag.String("name").pipe(Flag.withDescription("The person's name, 2 to 64 characters.")),
    email: Flag.String("email").pipe(Flag.withDescription("Where the link is sent.")),
    role: newRole,
    form
  },
  Effect.fnUntraced(function* ({ account, email, form, name, role }) {
    const invited = yield* inOffice(asOperator(invitePerson, account, { name, email, role }))
    yield* show(invitePerson.output.fields, invited, form)
  })
).pipe(
  Command.withDescription(
    "Invites a person: they get a link by e-mail, valid for 72 hours, to create a passkey. The link is printed as well."
  ),
  Command.withShortDescription("Invites a person by e-mail."),
  Command.withExamples([
    {
      command:
        'bursar humans invite <account> --name "Ada Byron" --email ada@example.com --role approver'
    }
  ])
)

const role = Command.make(
  "role",
  { account, human: person, role: newRole, form },
  Effect.fnUntraced(function* ({ account, human, form, role }) {
    const { done, ...kept } = yield* inOfficeDurably(
      asOperator(changeRole, account, { personId: human, role })
    )
    yield* showTaken(changeRole.output.fields, done, kept, form)
  })
).pipe(
  Command.withDescription("Changes what a person may do. The account keeps at least one owner."),
  Command.withExamples([{ command: "bursar humans role <account> --human <id> --role viewer" }])
)

const remove = Command.make(
  "remove",
  { account, human: person, form },
  Effect.fnUntraced(function* ({ account, human, form }) {
    const { done, ...kept } = yield* inOfficeDurably(
      asOperator(removePerson, account, { personId: human })
    )
    yield* showTaken(removePerson.output.fields, done, kept, form)
  })
).pipe(
  Command.withDescription(
    "Removes a person: their sessions end at once and their passkeys stop working."
  ),
  Command.withExamples([{ command: "bursar humans remove <account> --human <id>" }])
)

export const humans = Command.make("humans").pipe(
  Command.withDescription(
    "Invites, enrols and lists the people of an account, changes their roles, and suspends their passkeys."
  ),
  Command.withSubcommands([enrol, invite, list, role, remove, suspend])
)
