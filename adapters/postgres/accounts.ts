/** The book of accounts on SQL. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/ports/accounts.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly kind: Account["kind"]
  readonly tier: Account["tier"]
  readonly livemode: boolean
  readonly created_at: Date
}

const read = (row: Row): Account => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  tier: row.tier,
  livemode: row.livemode,
  createdAt: Column.instant(row.created_at)
})

export const layer = Layer.effect(
  Accounts,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (accountId) =>
      Answer.first(sql<Row>`select * from account where id = ${accountId}`, read),

    open: (account) =>
      Answer.done(sql`
        insert into account (id, name, kind, tier, livemode, created_at)
        values (${account.id}, ${account.name}, ${account.kind}, ${account.tier},
          ${account.livemode}, ${Column.date(account.createdAt)})`)
  }))
)
