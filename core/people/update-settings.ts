/**
 * Changes what an account's owner sets; fields that are left out keep their values. A logo at an address is read
 * before anything is changed, and kept: whoever pays loads nothing from elsewhere, and it stays as the owner saw it.
 */
import { Effect, Schema } from "effect"
import * as AccountSettings from "../accounts/account-settings.ts"
import { Accounts } from "../accounts/account-store.ts"
import * as Logo from "../accounts/logo.ts"
import { settingsOf } from "../accounts/read-settings.ts"
import { SettingsStore } from "../accounts/settings-store.ts"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { Pictures } from "../ports/pictures.ts"
import { refusals, requireOwner } from "./authority.ts"

const { brandColor, emailDelivery, emailNotices, logoUrl, merchantName, secondPersonSigns } =
  AccountSettings.input

const unreadable = (reason: string) =>
  new InvalidRequest({
    param: "logoUrl",
    message: `The logo at logoUrl cannot be used: ${reason}. Give the URL of ${AccountSettings.logoForm}.`
  })

/** The picture at an address, as it is kept. */
const logoAt = Effect.fnUntraced(function* (url: string) {
  const bytes = yield* Effect.mapError((yield* Pictures).fetch(url, Logo.maxBytes), ({ message }) =>
    unreadable(message)
  )
  const logo = Logo.read(bytes)
  return logo === undefined ? yield* unreadable("it is no such picture") : Logo.dataUrlOf(logo)
})

export const updateAccountSettings = Operation.prepared("update_account_settings", {
  summary:
    "Changes the account's settings: the merchant's name, logo and colour on checkout pages, who must sign, and what people are told by e-mail. Omitted fields keep their values.",
  next: "get_account shows the settings.",
  scope: "account:read",
  sideEffect: "write",
  role: "owner",
  authority: requireOwner,
  input: {
    merchantName: Schema.optionalKey(merchantName),
    logoUrl: Schema.optionalKey(logoUrl),
    brandColor: Schema.optionalKey(brandColor),
    secondPersonSigns: Schema.optionalKey(secondPersonSigns),
    emailNotices: Schema.optionalKey(emailNotices),
    emailDelivery: Schema.optionalKey(emailDelivery)
  },
  output: AccountSettings.fields,
  refusals,
  example: { input: { merchantName: "Corner Shop", brandColor: "#1d4ed8" } },
  prepare: ({ logoUrl: given }) =>
    given != null && AccountSettings.isRemote(given) ? logoAt(given) : Effect.undefined,
  handle: Effect.fnUntraced(function* (changes, fetched) {
    const { accountId, keyId } = yield* Caller
    // Two owners who change it at once change it one after the other: neither writes back what the other changed.
    yield* (yield* Accounts).lock(accountId)
    const before = yield* settingsOf(accountId)
    const settings = {
      ...before,
      ...changes,
      ...(fetched === undefined ? {} : { logoUrl: fetched })
    }
    yield* (yield* SettingsStore).save(settings)
    yield* record({
      accountId,
      actor: keyId,
      action: "account.settings_updated",
      subjectType: "account",
      subjectId: accountId,
      facts: { changed: Object.keys(changes).sort().join(",") }
    })
    return settings
  })
})
