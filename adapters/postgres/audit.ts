/** The audit book on SQL. The table refuses every change but one more row. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Entry } from "../../core/audit/entry.ts"
import { Audit } from "../../core/ports/audit.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly action: string
  readonly actor: string
  readonly subject_type: string
  readonly subject_id: string
  readonly facts: Entry["facts"]
  readonly created_at: Date
}

const read = (row: Row): Entry => ({
  id: row.id,
  accountId: row.account_id,
  action: row.action,
  actor: row.actor,
  subjectType: row.subject_type,
  subjectId: row.subject_id,
  facts: row.facts,
  createdAt: Column.instant(row.created_at)
})

export const layer = Layer.effect(
  Audit,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    append: (entry) =>
      Answer.done(sql`
        insert into audit_entry (id, account_id, action, actor, subject_type, subject_id, facts,
          created_at)
        values (${entry.id}, ${entry.accountId}, ${entry.action}, ${entry.actor},
          ${entry.subjectType}, ${entry.subjectId}, ${Column.json(entry.facts)},
          ${Column.date(entry.createdAt)})`),

    list: (accountId, request) =>
      Paging.page(
        sql<Row>`select * from audit_entry
          ${Paging.tail(sql, [sql`account_id = ${accountId}`], request)}`,
        request,
        read
      )
  }))
)
