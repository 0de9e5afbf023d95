/** `bursar accounts`: opens accounts and lists them, on the database itself. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Account from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { giveFundingWallet, openAccount } from "../../../core/accounts/open.ts"
import { operator } from "../../../core/audit/record.ts"
import * as Text from "../../../core/encoding/text.ts"
import { EmailAddress } from "../../../core/mail/address.ts"
import type * as Page from "../../../core/operation/page.ts"
import { misused } from "../exit.ts"
import * as FundingWallet from "./funding-wallet.ts"
import { inOffice, inOfficeToRead } from "./office.ts"
import { form, show } from "./show.ts"

/** An account as its operator sees it: also who governs it, whom it writes to, and since when it is paused. */
export const accountFields = {
  ...Account.fields,
  fundingWallet: Schema.NullOr(Schema.Struct({ chainId: Schema.String, address: Schema.String })),
  contactEmail: Schema.NullOr(Schema.String),
  subscriptionExpiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  pausedAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}

/** The account an operator's command is about. */
export const account = Argument.String("account").pipe(
  Argument.withDescription("The account's id, from bursar accounts list.")
)

export const tier = Flag.Literals("tier", ["personal", "startup"]).pipe(
  Flag.withDescription("The tier, which sets the spending caps."),
  Flag.withMetavar("<tier>")
)

const uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, {
    expected: "an account's id as bursar accounts list shows it"
  })
)

const open = Command.make(
  "open",
  {
    id: Flag.String("id").pipe(
      Flag.withDescription("Its id of before, when the database was lost."),
      Flag.withMetavar("<id>"),
      Flag.withSchema(uuid),
      Flag.optional
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("The account's name, 2 to 64 characters."),
      Flag.withSchema(Text.Name)
    ),
    kind: Flag.Literals("kind", ["developer", "agent"]).pipe(
      Flag.withDescription("developer for people, agent for programs."),
      Flag.withMetavar("<kind>")
    ),
    tier: tier.pipe(Flag.optional),
    fundingWallet: FundingWallet.flags,
    contactEmail: Flag.String("contact-email").pipe(
      Flag.withDescription("Email address of the person who may claim an agent's account."),
      Flag.withMetavar("<address>"),
      Flag.withSchema(EmailAddress),
      Flag.optional
    ),
    form
  },
  Effect.fnUntraced(function* ({ contactEmail, fundingWallet: named, id, form, kind, name, tier }) {
    const fundingWallet = yield* FundingWallet.read(kind, named)
    if (kind !== "agent" && Option.isSome(contactEmail)) {
      return yield* misused(
        "Only an agent's account can be claimed by email; omit --contact-email."
      )
    }
    const usual = kind === "developer" ? ("startup" as const) : ("personal" as const)
    const chosen = tier._tag === "Some" ? tier.value : usual
    const opened = yield* inOffice(
      openAccount(
        {
          id: Option.getOrUndefined(id),
          kind,
          name,
          tier: chosen,
          fundingWallet,
          contactEmail: Option.getOrNull(contactEmail)
        },
        operator
      ),
      {
        makesDatabase: true
      }
    )
    yield* show(accountFields, opened, form)
    if (kind === "agent" && fundingWallet === null) {
      yield* Console.error(
        "The account has no funding wallet, so it cannot add recipients or co-signers. Set one with bursar accounts funding-wallet."
      )
    }
  })
).pipe(
  Command.withDescription(
    "Opens an account. Default tiers: startup for a developer, personal for an agent. An agent's funding wallet signs when the agent adds a recipient, invites a co-signer or weakens a rule."
  ),
  Command.withShortDescription("Opens an account."),
  Command.withExamples([
    { command: 'bursar accounts open --name "Corner Shop" --kind developer' },
    {
      command:
        'bursar accounts open --name "Purchasing" --kind agent --funding-wallet-chain base --funding-wallet-address 0x8ba1f109551bD432803012645Ac136ddd64DBA72'
    }
  ])
)

const all = Effect.gen(function* () {
  const accounts = yield* Accounts
  const found: Array<Account.Account> = []
  let request: Page.Request | undefined = { limit: 100 }
  while (request !== undefined) {
    const page: Page.Page<Account.Account> = yield* accounts.list(request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: 100, after: page.next }
  }
  return found
})

const list = Command.make(
  "list",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const accounts = yield* inOfficeToRead(all)
    const listed = {
      accounts: Schema.Array(Schema.Struct(accountFields)),
      hasMore: Schema.Boolean
    }
    yield* show(listed, { accounts, hasMore: false }, form)
  })
).pipe(Command.withDescription("Lists all accounts, newest first."))

const giveWallet = Command.make(
  "funding-wallet",
  { account, fundingWallet: FundingWallet.flags, form },
  Effect.fnUntraced(function* ({ account, fundingWallet: named, form }) {
    const wallet = yield* FundingWallet.read("agent", named)
    if (wallet === null) {
      return yield* misused("Send both --funding-wallet-chain and --funding-wallet-address.")
    }
    yield* show(accountFields, yield* inOffice(giveFundingWallet(account, wallet)), form)
  })
).pipe(
  Command.withDescription(
    "Sets the funding wallet of an agent's account, which signs its governance challenges. It can be set once and never changed."
  ),
  Command.withShortDescription("Sets the funding wallet of an agent's account, once."),
  Command.withExamples([
    {
      command:
        "bursar accounts funding-wallet <account> --funding-wallet-chain base --funding-wallet-address 0x8ba1f109551bD432803012645Ac136ddd64DBA72"
    }
  ])
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Opens and lists accounts, and sets an agent's funding wallet."),
  Command.withSubcommands([open, list, giveWallet])
)
