/** The store of accounts' settings in memory. */
import { Effect, Layer } from "effect"
import type { AccountSettings } from "../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../core/accounts/settings-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<AccountSettings>()({
  name: "account settings",
  key: ({ accountId }) => accountId
})

export const layer: Layer.Layer<SettingsStore, never, MemoryStore> = Layer.effect(
  SettingsStore,
  Effect.map(MemoryStore, (store) => {
    const settings = store.table(definition)
    return {
      find: (accountId) => store.read(() => settings.get(accountId)),
      save: (saved) =>
        store.write((journal) => {
          settings.delete(journal, saved.accountId)
          settings.insert(journal, saved)
        })
    }
  })
)
