/**
 * What of the audit log is in files, on SQL. The table of archives only grows, and the database lets go of no text that
 * none of its rows covers; places and nodes stay.
 */
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Archive } from "../../core/audit/archive.ts"
import type { Range } from "../../core/audit/tree.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface ArchiveRow {
  readonly account_id: string
  readonly first: bigint
  readonly end: bigint
  readonly before: Date
  readonly file: string
  readonly sha256: string
  readonly archived_at: Date
}

const read = (row: ArchiveRow): Archive => ({
  accountId: row.account_id,
  first: Number(row.first),
  end: Number(row.end),
  before: Column.instant(row.before),
  file: row.file,
  sha256: row.sha256,
  archivedAt: Column.instant(row.archived_at)
})

export const archives = (sql: SqlClient, accountId: string) =>
  Answer.all(
    sql<ArchiveRow>`
      select account_id, "first", "end", "before", file, encode(sha256, 'hex') as sha256, archived_at
      from audit_archive where account_id = ${Column.soughtUuid(accountId)}::uuid order by "first"`,
    read
  )

export const archive = (sql: SqlClient, { accountId, end, file, first, ...rest }: Archive) =>
  Answer.done(sql`
    insert into audit_archive (account_id, "first", "end", "before", file, sha256, archived_at)
    values (${accountId}::uuid, ${first}, ${end}, ${Column.date(rest.before)}, ${file},
      decode(${rest.sha256}, 'hex'), ${Column.date(rest.archivedAt)})`)

export const dropTexts = (sql: SqlClient, accountId: string, { begin, end }: Range) =>
  Answer.done(sql`
    delete from audit_entry where account_id = ${accountId}::uuid and id = any(array(
      select each.entry_id
      from audit_place run
        cross join lateral unnest(run.entry_ids) with ordinality as each (entry_id, at)
      where run.account_id = ${accountId}::uuid
        and run."first" >= coalesce((
          select max("first") from audit_place
          where account_id = ${accountId}::uuid and "first" <= ${begin}), 0)
        and run."first" < ${end}
        and run."first" + each.at - 1 >= ${begin} and run."first" + each.at - 1 < ${end}))`)

/** How far apart the clock may have been read for an id and for its entry. */
const apartMs = 2000

/** When an id of version 7 was made; undefined for any other. */
const madeAt = (id: string): number | undefined => {
  const digits = id.replaceAll("-", "")
  return Column.soughtUuid(id) === id && digits[12] === "7"
    ? Number.parseInt(digits.slice(0, 12), 16)
    : undefined
}

const instant = (ms: number) => Column.date(DateTime.makeUnsafe(ms))

export const placeOf = (sql: SqlClient, accountId: string, entryId: string) => {
  const made = madeAt(entryId)
  if (made === undefined) return Effect.succeed(undefined)
  return Answer.first(
    sql<{ place: bigint }>`
      select "first" + array_position(entry_ids, ${entryId}::uuid) - 1 as place from audit_place
      where account_id = ${Column.soughtUuid(accountId)}::uuid
        and "second" between ${instant(made - apartMs)} and ${instant(made + apartMs)}
        and ${entryId}::uuid = any(entry_ids)`,
    ({ place }) => Number(place)
  )
}
