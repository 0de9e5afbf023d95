/** Reads what an account's owner has set, and the defaults of what they have not. */
import { Effect } from "effect"
import { defaultsOf } from "./account-settings.ts"
import { SettingsStore } from "./settings-store.ts"

export const settingsOf = Effect.fnUntraced(function* (accountId: string) {
  return (yield* (yield* SettingsStore).find(accountId)) ?? defaultsOf(accountId)
})
