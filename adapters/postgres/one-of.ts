/**
 * Whether a column is one of some keys. One key is asked for by itself: the database keeps its plan for that, and makes
 * one anew each time for a list, whose length it cannot know before.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "./column.ts"

const isOne = (keys: ReadonlyArray<string>): boolean => keys.length === 1

/** Behind a column of ids; what is no UUID is left out, as nothing has it. */
export const uuids = (sql: SqlClient, asked: ReadonlyArray<string>): Fragment => {
  const ids = Column.soughtUuids(asked)
  return isOne(ids) ? sql`= ${ids[0]}` : sql`= any(${ids}::uuid[])`
}

/** Behind a column of texts. */
export const texts = (sql: SqlClient, keys: ReadonlyArray<string>): Fragment =>
  isOne(keys) ? sql`= ${keys[0]}` : sql`= any(${keys}::text[])`

/** The keys as rows of one column, `key`. */
export const rows = (sql: SqlClient, keys: ReadonlyArray<string>): Fragment =>
  isOne(keys)
    ? sql`(select ${keys[0]}::text as key) as asked`
    : sql`unnest(${keys}::text[]) as asked (key)`
