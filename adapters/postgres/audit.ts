/**
 * The audit store on SQL. The table refuses every change but one more row, and a row's place in its log,
 * once; the trees over the logs stand in `audit-tree.ts`.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Audit } from "../../core/audit/audit-store.ts"
import type { Entry, Listed, Placed } from "../../core/audit/entry.ts"
import * as Answer from "./answer.ts"
import * as AuditTree from "./audit-tree.ts"
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
  readonly sequence: bigint | null
}

const readEntry = (row: Omit<Row, "sequence">): Entry => ({
  id: row.id,
  accountId: row.account_id,
  action: row.action,
  actor: row.actor,
  subjectType: row.subject_type,
  subjectId: row.subject_id,
  facts: row.facts,
  createdAt: Column.instant(row.created_at)
})

const read = (row: Row): Listed => ({
  ...readEntry(row),
  sequence: row.sequence === null ? null : Number(row.sequence)
})

const readPlaced = (row: Row): Placed => ({ ...readEntry(row), sequence: Number(row.sequence) })

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
      ),

    find: (accountId, entryId) =>
      Answer.first(
        sql<Row>`select * from audit_entry where account_id = ${accountId} and id = ${entryId}`,
        read
      ),

    inOrder: (accountId, from, most) =>
      Answer.all(
        sql<Row>`select * from audit_entry
          where account_id = ${accountId} and "sequence" >= ${from}
          order by "sequence" limit ${most}`,
        readPlaced
      ),

    waiting: (most) =>
      Answer.all(
        sql<Pick<Row, "account_id">>`select distinct account_id from audit_entry
          where "sequence" is null limit ${most}`,
        ({ account_id }) => account_id
      ),

    hold: (accountId) => AuditTree.hold(sql, accountId),
    head: (accountId) => AuditTree.head(sql, accountId),

    unplaced: (accountId, most) =>
      Answer.all(
        sql<Row>`select * from audit_entry
          where account_id = ${accountId} and "sequence" is null
          order by created_at, id limit ${most}`,
        readEntry
      ),

    extend: (growth) => AuditTree.extend(sql, growth),
    nodes: (accountId, wanted) => AuditTree.nodes(sql, accountId, wanted)
  }))
)
