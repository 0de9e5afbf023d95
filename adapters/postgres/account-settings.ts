/** The store of accounts' settings on SQL: one row an account, written whole. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { AccountSettings } from "../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../core/accounts/settings-store.ts"
import * as Answer from "./answer.ts"
import * as Rows from "./rows.ts"
import { bool, table, text, texts, uuid } from "./table.ts"

const settingsTable = table<AccountSettings>(
  "account_settings",
  {
    accountId: uuid,
    merchantName: text,
    logoUrl: text,
    brandColor: text,
    secondPersonSigns: bool,
    emailNotices: texts,
    emailDelivery: text
  },
  ["accountId"]
)

export const layer = Layer.effect(
  SettingsStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const settings = Rows.rows(sql, settingsTable)
    return {
      find: (accountId) => settings.first({ accountId }),
      save: (saved) => {
        const { accountId: _, ...to } = saved
        return Answer.done(sql`
          ${settingsTable.insert(saved)}
          on conflict (account_id) do update set ${settingsTable.set(to)}`)
      }
    }
  })
)
