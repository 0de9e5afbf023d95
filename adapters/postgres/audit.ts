/**
 * The audit store on SQL. Its tables refuse every change but one more row; the trees over the logs stand in
 * `audit-tree.ts`.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Audit } from "../../core/audit/audit-store.ts"
import type { Entry, Listed, Placed } from "../../core/audit/entry.ts"
import { system } from "../../core/audit/record.ts"
import type * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as AuditArchive from "./audit-archive.ts"
import * as AuditTree from "./audit-tree.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { type Fields, type Row, table, terse, terseAll, timestamp, uuid } from "./table.ts"
import * as Terse from "./terse.ts"

/** An entry as its row has it: the types of actor and subject, and then each fact's name and value. */
interface Kept extends Pick<Entry, "id" | "accountId" | "action" | "actor" | "createdAt"> {
  readonly subject: string
  readonly told: ReadonlyArray<string>
}

const keptFields: Fields<Kept> = {
  id: uuid,
  accountId: uuid,
  action: terse,
  actor: terse,
  subject: terse,
  told: terseAll,
  createdAt: timestamp
}

const entryTable = table<Kept>("audit_entry", keptFields)

const keptOf = ({
  actorRole,
  actorType,
  facts,
  subjectId,
  subjectType,
  ...entry
}: Entry): Kept => ({
  ...entry,
  subject: subjectId,
  told: [actorType, actorRole, subjectType, ...Object.entries(facts).flat()]
})

const entryOf = ({ subject, told, ...kept }: Kept): Entry => {
  const [actorType, actorRole, subjectType = "", ...rest] = told
  const facts: Record<string, string> = {}
  for (let at = 0; at < rest.length; at += 2) facts[rest[at] ?? ""] = rest[at + 1] ?? ""
  return {
    ...kept,
    actorType: actorType as Entry["actorType"],
    actorRole: actorRole as Entry["actorRole"],
    subjectType,
    subjectId: subject,
    facts
  }
}

const read = (row: Row): Entry => entryOf(entryTable.read(row))

interface PlacedRow extends Row {
  readonly sequence: bigint
}

interface ListedRow extends Row {
  readonly sequence: bigint | null
}

const readListed = (row: ListedRow): Listed => ({
  ...read(row),
  sequence: row.sequence === null ? null : Number(row.sequence)
})

const readPlaced = (row: PlacedRow): Placed => ({ ...read(row), sequence: Number(row.sequence) })

/** In the words of the indexes of subjects and of actors. */
const isNamed = (
  sql: SqlClient.SqlClient,
  accountId: string,
  column: "subject" | "actor",
  name: string
) =>
  sql`named_key(account_id, ${sql(column)}) = named_key(${accountId}::uuid, ${Terse.encode(name)})`

/** The second in which an entry was made, by which its place is found. */
const secondOf = (sql: SqlClient.SqlClient) => sql`date_trunc('second', created_at, 'UTC')`

/** Each place of a run. */
const placesOf = (sql: SqlClient.SqlClient) => sql`(
  select each.entry_id, run."first" + each.at - 1 as "sequence"
  from unnest(run.entry_ids) with ordinality as each (entry_id, at))`

/** A page, whose places are looked up together: they lie side by side. */
const listing = (
  sql: SqlClient.SqlClient,
  accountId: string,
  conditions: ReadonlyArray<Fragment>,
  request: Page.Request
) => sql<ListedRow>`
  select * from (
    with entries as materialized (
      select * from audit_entry ${Paging.tail(sql, conditions, request)}
    ),
    places as materialized (
      select place.* from (
        select "first", entry_ids from audit_place
        where account_id = ${accountId}
          and "second" = any(array(
            select distinct ${secondOf(sql)} as "second" from entries order by "second"
          ))
      ) run cross join lateral ${placesOf(sql)} place
    )
    select entries.*, places."sequence"
    from entries left join places on places.entry_id = entries.id
  ) listed
  order by created_at desc, id desc`

export const layer = Layer.effect(
  Audit,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const entries = Rows.rows(sql, entryTable)
    return {
      append: (added) =>
        added.length === 1 && added[0] !== undefined
          ? entries.insert(keptOf(added[0]))
          : Answer.done(sql`${entryTable.insertAll(added.map(keptOf))}`),

      list: (accountId, request, { actor, subjectId } = {}) => {
        const wanted = {
          accountId,
          ...(subjectId === undefined ? {} : { subject: subjectId }),
          ...(actor === undefined ? {} : { actor })
        }
        // What the treasury does by itself is everywhere, and in no index of its own.
        const isIndexed = actor !== undefined && actor !== system
        const conditions = [
          entryTable.equals(wanted),
          ...(isIndexed ? [sql`actor <> '\\x14'`, isNamed(sql, accountId, "actor", actor)] : []),
          ...(subjectId === undefined ? [] : [isNamed(sql, accountId, "subject", subjectId)])
        ]
        return Paging.page(listing(sql, accountId, conditions, request), request, readListed)
      },

      find: (accountId, id) =>
        Answer.first(
          sql<ListedRow>`${listing(sql, accountId, [entryTable.equals({ accountId, id })], { limit: 1 })}`,
          readListed
        ),

      inOrder: (accountId, from, most) =>
        Answer.all(
          sql<PlacedRow>`select entry.*, place."sequence" from (
              select place.* from (
                select "first", entry_ids from audit_place
                where account_id = ${accountId} and "first" >= coalesce((
                  select max("first") from audit_place
                  where account_id = ${accountId} and "first" <= ${from}), 0)
                order by "first" limit ${most + 1}
              ) run cross join lateral ${placesOf(sql)} place
              where place."sequence" >= ${from}
              order by place."sequence" limit ${most}
            ) place
            join audit_entry entry on entry.id = place.entry_id
            order by place."sequence"`,
          readPlaced
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
          read
        ),

      extend: (growth) => AuditTree.extend(sql, growth),
      nodes: (accountId, wanted) => AuditTree.nodes(sql, accountId, wanted),

      archives: (accountId) => AuditArchive.archives(sql, accountId),
      archive: (archive) => AuditArchive.archive(sql, archive),
      dropTexts: (accountId, places) => AuditArchive.dropTexts(sql, accountId, places),
      placeOf: (accountId, entryId) => AuditArchive.placeOf(sql, accountId, entryId)
    }
  })
)
