/** `bursar accounts`: opens accounts and lists them, on the database itself. */
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Account from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { giveFundingWallet } from "../../../core/accounts/give-funding-wallet.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import { operator } from "../../../core/audit/record.ts"
import * as Text from "../../../core/encoding/text.ts"
import { EmailAddress } from "../../../core/mail/address.ts"
import type * as Page from "../../../core/operation/page.ts"
import { misused } from "../exit.ts"
import * as FundingWallet from "./funding-wallet.ts"
import { inOffice } from "./office.ts"
import { json, show } from "./show.ts"

/** An account as its operator sees it: also who governs it, whom it writes to, and since when it is paused. */
export const shown = {
  ...Account.fields,
  fundingWallet: Schema.NullOr(Schema.Struct({ chainId: Schema.String, address: Schema.String })),
  contactEmail: Schema.NullOr(Schema.String),
  subscriptionExpiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  pausedAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}

/** The account an operator's command is about. */
export const account = Flag.String("account").pipe(
  Flag.withDescription("The account's id, from bursar accounts list."),
  Flag.withMetavar("<id>")
)

export const tier = Flag.Literals("tier", ["personal", "startup"]).pipe(
  Flag.withDescription("What it may send."),
  Flag.withMetavar("<tier>")
)

const open = Command.make(
  "open",
  {
    name: Flag.String("name").pipe(
      Flag.withDescription("What it is called, 2 to 64 characters."),
      Flag.withSchema(Text.Name)
    ),
    kind: Flag.Literals("kind", ["developer", "agent"]).pipe(
      Flag.withDescription("Whether people or agents hold its keys."),
      Flag.withMetavar("<kind>")
    ),
    tier: tier.pipe(Flag.optional),
    fundingWallet: FundingWallet.flags,
    contactEmail: Flag.String("contact-email").pipe(
      Flag.withDescription("Where a human is reached who may claim an agent's account."),
      Flag.withMetavar("<address>"),
      Flag.withSchema(EmailAddress),
      Flag.optional
    ),
    json
  },
  Effect.fnUntraced(function* ({ kind, name, tier, fundingWallet: named, contactEmail, json }) {
    const fundingWallet = yield* FundingWallet.read(kind, named)
    if (kind !== "agent" && Option.isSome(contactEmail)) {
      return yield* misused(
        "Only an agent's account is claimed by mail; leave --contact-email out."
      )
    }
    const usual = kind === "developer" ? ("startup" as const) : ("personal" as const)
    const chosen = tier._tag === "Some" ? tier.value : usual
    const opened = yield* inOffice(
      openAccount(
        {
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
    yield* show(shown, opened, json)
    if (kind === "agent" && fundingWallet === null) {
      yield* Console.error(
        "It has no funding wallet, so nobody can sign when it governs: it gets no recipients and no co-signers. Give it one with bursar accounts funding-wallet."
      )
    }
  })
).pipe(
  Command.withDescription(
    "Opens an account. A developer's starts in the tier startup, an agent's in personal, unless --tier says otherwise. An agent's funding wallet signs when the agent adds a recipient, invites a co-signer or weakens a rule."
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
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const accounts = yield* inOffice(all)
    const listed = {
      accounts: Schema.Array(Schema.Struct(shown)),
      hasMore: Schema.Boolean
    }
    yield* show(listed, { accounts, hasMore: false }, json)
  })
).pipe(Command.withDescription("Lists all accounts, newest first."))

const giveWallet = Command.make(
  "funding-wallet",
  { account, fundingWallet: FundingWallet.flags, json },
  Effect.fnUntraced(function* ({ account, fundingWallet: named, json }) {
    const wallet = yield* FundingWallet.read("agent", named)
    if (wallet === null) {
      return yield* misused("Name the wallet: --funding-wallet-chain and --funding-wallet-address.")
    }
    yield* show(shown, yield* inOffice(giveFundingWallet(account, wallet)), json)
  })
).pipe(
  Command.withDescription(
    "Gives an agent's account the wallet that signs when it governs, where it has none yet. It is given once and never changed."
  ),
  Command.withShortDescription("Gives an agent's account its funding wallet, once."),
  Command.withExamples([
    {
      command:
        "bursar accounts funding-wallet --account <id> --funding-wallet-chain base --funding-wallet-address 0x8ba1f109551bD432803012645Ac136ddd64DBA72"
    }
  ])
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Opens accounts, lists them, and gives an agent's its funding wallet."),
  Command.withSubcommands([open, list, giveWallet])
)
