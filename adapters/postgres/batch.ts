/**
 * Writes to many rows by the batch: a statement touches at most so many, takes none that somebody else
 * holds, and says how many there were without bringing them here.
 */
import type { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Answer from "./answer.ts"

interface Batch {
  readonly table: string
  /** Which rows; found by an index on `by`. */
  readonly where: Fragment
  readonly by: string
  readonly max: number
}

const chosen = (sql: SqlClient, { by, max, table, where }: Batch) => sql`
  ctid = any(array(
    select ctid from ${sql(table)} where ${where}
    order by ${sql(by)} limit ${max} for update skip locked
  ))`

/** How many rows a statement wrote. */
export const touched = (sql: SqlClient, statement: Fragment): Effect.Effect<number> =>
  Answer.only(
    sql<{ readonly rows: number }>`
      with touched as (${statement} returning 1)
      select count(*)::integer as rows from touched`,
    ({ rows }) => rows
  )

export const deleted = (sql: SqlClient, batch: Batch): Effect.Effect<number> =>
  touched(sql, sql`delete from ${sql(batch.table)} where ${chosen(sql, batch)}`)

export const updated = (sql: SqlClient, set: Fragment, batch: Batch): Effect.Effect<number> =>
  touched(sql, sql`update ${sql(batch.table)} set ${set} where ${chosen(sql, batch)}`)
