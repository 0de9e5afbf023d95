/** The store of accounts' settings: one row for each account that has set anything. */
import { Context, type Effect } from "effect"
import type { AccountSettings } from "./account-settings.ts"

export class SettingsStore extends Context.Service<
  SettingsStore,
  {
    /** Undefined while nothing was set. */
    readonly find: (accountId: string) => Effect.Effect<AccountSettings | undefined>
    /** Writes them over what there was. */
    readonly save: (settings: AccountSettings) => Effect.Effect<void>
  }
>()("bursar/accounts/SettingsStore") {}
