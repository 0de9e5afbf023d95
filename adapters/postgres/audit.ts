/**
 * The audit store on SQL. Its tables refuse every change but one more row; the trees over the logs stand in
 * `audit-tree.ts`.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Audit } from "../../core/audit/audit-store.ts"
import type { Entry, Listed, Placed } from "../../core/audit/entry.ts"
import { system } from "../../core/audit/record.ts"
import * as Answer from "./answer.ts"
import * as AuditTree from "./audit-tree.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { type Fields, integer, json, type Row, table, text, timestamp, uuid } from "./table.ts"

const entryFields: Fields<Entry> = {
  id: uuid,
  accountId: uuid,
  action: text,
  actor: text,
  actorType: text,
  actorRole: text,
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
    const withPlace = sql`select *, (
      select "sequence" from audit_place where entry_id = audit_entry.id
    ) as "sequence" from audit_entry`
    return {
      append: (added) =>
        added.length === 1 && added[0] !== undefined
          ? entries.insert(added[0])
          : Answer.done(sql`${entryTable.insertAll(added)}`),

      list: (accountId, request, { actor, subjectId } = {}) => {
        const wanted = {
          accountId,
          ...(subjectId === undefined ? {} : { subjectId }),
          ...(actor === undefined ? {} : { actor })
        }
        // What the treasury does by itself is everywhere, and in no index of its own.
        const isIndexed = actor !== undefined && actor !== system
        const conditions = [
          entryTable.equals(wanted),
          ...(isIndexed ? [sql`actor_type <> 'treasury'`] : [])
        ]
        return Paging.page(
          sql<Row>`${withPlace} ${Paging.tail(sql, conditions, request)}`,
          request,
          listedTable.read
        )
      },

      find: (accountId, id) =>
        Answer.first(
          sql<Row>`${withPlace} where ${entryTable.equals({ accountId, id })}`,
          listedTable.read
        ),

      inOrder: (accountId, from, most) =>
        Answer.all(
          sql<Row>`select entry.*, place."sequence" from audit_place place
            join audit_entry entry on entry.id = place.entry_id
            where place.account_id = ${accountId} and place."sequence" >= ${from}
            order by place."sequence" limit ${most}`,
          placedTable.read
        ),

      waiting: (most) =>
        Answer.all(
          sql<{ account_id: string }>`select distinct account_id from audit_waiting limit ${most}`,
          ({ account_id }) => account_id
        ),

      hold: (accountId) => AuditTree.hold(sql, accountId),
      head: (accountId) => AuditTree.head(sql, accountId),

      unplaced: (accountId, most) =>
        Answer.all(
          sql<Row>`select entry.* from audit_waiting waiting
            join audit_entry entry on entry.id = waiting.entry_id
            where waiting.account_id = ${accountId}
            order by waiting.created_at, waiting.entry_id limit ${most}`,
          entryTable.read
        ),

      extend: (growth) => AuditTree.extend(sql, growth),
      nodes: (accountId, wanted) => AuditTree.nodes(sql, accountId, wanted)
    }
  })
)
