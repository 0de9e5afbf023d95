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
import * as Rows from "./rows.ts"
import { type Fields, integer, json, type Row, table, text, timestamp } from "./table.ts"

const entryFields: Fields<Entry> = {
  id: text,
  accountId: text,
  action: text,
  actor: text,
  subjectType: text,
  subjectId: text,
  facts: json(),
  createdAt: timestamp
}

const entryTable = table<Entry>("audit_entry", entryFields)
const listedTable = table<Listed>("audit_entry", { ...entryFields, sequence: integer })
const placedTable = table<Placed>("audit_entry", { ...entryFields, sequence: integer })

export const layer = Layer.effect(
  Audit,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const entries = Rows.rows(sql, entryTable)
    const listed = Rows.rows(sql, listedTable)
    return {
      append: (entry) => entries.insert(entry),

      list: (accountId, request) => listed.page({ accountId }, request),

      find: (accountId, id) => listed.first({ accountId, id }),

      inOrder: (accountId, from, most) =>
        Answer.all(
          sql<Row>`select * from audit_entry
            where account_id = ${accountId} and "sequence" >= ${from}
            order by "sequence" limit ${most}`,
          placedTable.read
        ),

      waiting: (most) =>
        Answer.all(
          sql<{ account_id: string }>`select distinct account_id from audit_entry
            where "sequence" is null limit ${most}`,
          ({ account_id }) => account_id
        ),

      hold: (accountId) => AuditTree.hold(sql, accountId),
      head: (accountId) => AuditTree.head(sql, accountId),

      unplaced: (accountId, most) =>
        entries.all(sql`account_id = ${accountId} and "sequence" is null
          order by created_at, id limit ${most}`),

      extend: (growth) => AuditTree.extend(sql, growth),
      nodes: (accountId, wanted) => AuditTree.nodes(sql, accountId, wanted)
    }
  })
)
