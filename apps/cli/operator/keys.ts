/** `bursar keys`: makes, lists and revokes the API keys of any account. The first key of a human comes from here. */

import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { noSuchAccount } from "../../../core/accounts/account.ts"
import { Accounts, Keys } from "../../../core/accounts/account-store.ts"
import * as Caveats from "../../../core/accounts/caveats.ts"
import * as Key from "../../../core/accounts/key.ts"
import { operator } from "../../../core/audit/record.ts"
import { nearest } from "../../../core/encoding/nearest.ts"
import * as Text from "../../../core/encoding/text.ts"
import { grantKey } from "../../../core/keys/create-key.ts"
import * as Revocation from "../../../core/keys/revoke-key.ts"
import { Scope } from "../../../core/operation/caller.ts"
import type * as Page from "../../../core/operation/page.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { misused } from "../exit.ts"
import { account } from "./accounts.ts"
import { adoptPepper } from "./adopt-pepper.ts"
import { inOffice, inOfficeDurably, inOfficeToRead } from "./office.ts"
import { rotateEncryption } from "./rotate-encryption.ts"
import { form, formatFor, show, showTaken } from "./show.ts"
import { exportRoot, restoreRoot } from "./wallet-root.ts"

const isScope = Schema.is(Scope)

/** `balances:read,account:read`, several flags, or `all`. */
const scopesOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim())
  if (names.length === 1 && names[0] === "all") return Scope.literals
  const scopes = new Set<Scope>()
  for (const name of names) {
    if (!isScope(name)) {
      const known = nearest(name, Scope.literals)
      return yield* misused(
        `Unknown scope ${name}${known === undefined ? "" : `; did you mean ${known}?`}`,
        `The scopes are ${Scope.literals.join(", ")}, or all.`
      )
    }
    scopes.add(name)
  }
  return [...scopes]
})

const isRange = Schema.is(Caveats.input.ipRanges)

/** Several flags, or several in one, parted by commas; nothing when there are none. */
const listed = (texts: ReadonlyArray<string>) => {
  const all = texts.flatMap((text) => text.split(",")).map((text) => text.trim())
  return all.length === 0 ? undefined : [...new Set(all)]
}

interface Bounds {
  readonly ipRanges: ReadonlyArray<string>
  readonly walletIds: ReadonlyArray<string>
  readonly recipientIds: ReadonlyArray<string>
  readonly dailyCapUsd: Option.Option<string>
}

const caveatsOf = Effect.fnUntraced(function* (bounds: Bounds) {
  const ipRanges = listed(bounds.ipRanges)
  const [walletIds, recipientIds] = [listed(bounds.walletIds), listed(bounds.recipientIds)]
  if (ipRanges !== undefined && !isRange(ipRanges)) {
    return yield* misused("--ip-range must be an IP address or CIDR range, such as 10.0.0.0/8.")
  }
  return {
    ...(ipRanges === undefined ? {} : { ipRanges }),
    ...(walletIds === undefined ? {} : { walletIds }),
    ...(recipientIds === undefined ? {} : { recipientIds }),
    ...(Option.isNone(bounds.dailyCapUsd) ? {} : { dailyCapUsd: bounds.dailyCapUsd.value })
  }
})

const several = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.atLeast(0)
  )

const createdFields = { ...Key.fields, apiKey: Schema.String }

const create = Command.make(
  "create",
  {
    account,
    scopes: Flag.String("scopes").pipe(
      Flag.withDescription("The scopes, comma-separated or repeated, or all."),
      Flag.withMetavar("<scopes>"),
      Flag.atLeast(1)
    ),
    label: Flag.String("label").pipe(
      Flag.withDescription("A label."),
      Flag.withSchema(Text.Line(64)),
      Flag.optional
    ),
    expiresAt: Flag.String("expires-at").pipe(
      Flag.withDescription("ISO 8601 with a time zone. Default: no expiry."),
      Flag.withSchema(Timestamp.Input),
      Flag.optional
    ),
    ipRanges: several(
      "ip-range",
      "<cidr>",
      "Allowed IP address or CIDR range, repeatable. Default: any."
    ),
    walletIds: several("wallet-id", "<id>", "Allowed sending wallet, repeatable. Default: all."),
    recipientIds: several("recipient-id", "<id>", "Allowed recipient, repeatable. Default: all."),
    dailyCapUsd: Flag.String("daily-cap-usd").pipe(
      Flag.withDescription("Daily limit in USDC per UTC day, such as 250.00."),
      Flag.withMetavar("<usdc>"),
      Flag.optional
    ),
    form
  },
  Effect.fnUntraced(function* ({ account, expiresAt, form, label, scopes, ...bounds }) {
    const { key, text } = yield* inOffice(
      grantKey({
        accountId: account,
        scopes: yield* scopesOf(scopes),
        label: Option.getOrNull(label),
        expiresAt: Option.getOrUndefined(expiresAt),
        caveats: yield* caveatsOf(bounds)
      })
    )
    yield* Console.error(`API key ${key.id}, shown only once:`)
    if (formatFor(form) === "table") return yield* Console.log(text)
    yield* show(createdFields, { ...Key.view(key), apiKey: text }, form)
  })
).pipe(
  Command.withDescription(
    "Creates an API key and prints it once: svc_hu_… for a developer's account, svc_ag_… for an agent's."
  ),
  Command.withShortDescription("Creates an API key and prints it once."),
  Command.withExamples([{ command: "bursar keys create <account> --scopes all" }])
)

const all = Effect.fnUntraced(function* (accountId: string) {
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return yield* noSuchAccount()
  const keys = yield* Keys
  const found: Array<Key.Key> = []
  let request: Page.Request | undefined = { limit: 100 }
  while (request !== undefined) {
    const page: Page.Page<Key.Key> = yield* keys.list(accountId, request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: 100, after: page.next }
  }
  return found
})

const list = Command.make(
  "list",
  { account, form },
  Effect.fnUntraced(function* ({ account, form }) {
    const api_keys = yield* inOfficeToRead(all(account))
    const listed = { api_keys: Schema.Array(Schema.Struct(Key.fields)), hasMore: Schema.Boolean }
    yield* show(listed, { api_keys: api_keys.map(Key.view), hasMore: false }, form)
  })
).pipe(
  Command.withDescription(
    "Lists an account's API keys, including revoked ones, without the secret keys."
  )
)

const revoke = Command.make(
  "revoke",
  {
    account,
    keyId: Flag.String("key-id").pipe(
      Flag.withDescription("The key's id, from bursar keys list."),
      Flag.withMetavar("<id>")
    ),
    includeDescendants: Flag.Boolean("include-descendants").pipe(
      Flag.withDescription("Also revoke the keys created from it, for example after a theft."),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    keepDescendants: Flag.Boolean("keep-descendants").pipe(
      Flag.withDescription("Keep the keys created from it active."),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    form
  },
  Effect.fnUntraced(function* ({ account, form, keyId, ...choice }) {
    const { done, ...kept } = yield* inOfficeDurably(
      Revocation.revokeKey(account, keyId, operator, choice)
    )
    yield* showTaken(Revocation.fields, Revocation.view(done), kept, form)
  })
).pipe(
  Command.withDescription(
    "Revokes an API key at once and cancels its waiting proposals and requests. If active keys were created from it, one of the two flags is required."
  ),
  Command.withShortDescription("Revokes an API key at once.")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription(
    "Creates, lists and revokes API keys of any account, and changes the key-encryption key and the pepper."
  ),
  Command.withSubcommands([
    create,
    list,
    revoke,
    rotateEncryption,
    adoptPepper,
    exportRoot,
    restoreRoot
  ])
)
