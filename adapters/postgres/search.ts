/**
 * A search in the columns of a list: part of any of them, where the case of A to Z does not matter. Other letters are
 * told apart by their case, in every database alike.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const containing = (
  sql: SqlClient,
  columns: ReadonlyArray<string>,
  search: string | undefined
): Fragment => {
  if (search === undefined) return sql`true`
  return sql.or(
    columns.map(
      (column) =>
        sql`position(lower(${search}::text collate "C") in lower(${sql(column)} collate "C")) > 0`
    )
  )
}
