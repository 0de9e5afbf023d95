/**
 * Writes to many rows by the batch: a statement touches at most so many, takes none that somebody else
 * holds, and says how many there were without bringing them here.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Answer from "./answer.ts"

interface Batch {
  readonly table: string
  /** Which rows; found by an index on `by`, a column or an expression. */
  readonly where: Fragment
  readonly by: string | Fragment
  readonly max: number
}

const chosen = (sql: SqlClient, { by, max, table, where }: Batch) => sql`
  ctid = any(array(
    select ctid from ${sql(table)} where ${where}
    order by ${typeof by === "string" ? sql(by) : by} limit ${max} for update skip locked
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

/** What comes of a statement over many ids, said of so many of them at a time. */
export const inParts = <Id, A>(
  ids: ReadonlyArray<Id>,
  max: number,
  statement: (part: ReadonlyArray<Id>) => Effect.Effect<ReadonlyArray<A>>
): Effect.Effect<ReadonlyArray<A>> => {
  const parts = Array.from({ length: Math.ceil(ids.length / max) }, (_, at) =>
    ids.slice(at * max, (at + 1) * max)
  )
  return Effect.map(Effect.forEach(parts, statement), (found) => found.flat())
}

/** All that a statement finds in order, page after page, each from behind the last of the one before. */
export const pages = Effect.fnUntraced(function* <A>(
  max: number,
  page: (after: A | undefined) => Effect.Effect<ReadonlyArray<A>>
) {
  const found: Array<A> = []
  let last: ReadonlyArray<A>
  do {
    last = yield* page(found.at(-1))
    found.push(...last)
  } while (last.length === max)
  return found as ReadonlyArray<A>
})

/** Repeats a bounded write in the running transaction until there is no more of it; how many rows it was. */
export const repeated = Effect.fnUntraced(function* (max: number, write: Effect.Effect<number>) {
  let total = 0
  let rows: number
  do {
    rows = yield* write
    total += rows
  } while (rows === max)
  return total
})
