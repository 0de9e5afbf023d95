/** Pages of a store's list: newest first by (time, id), cut by the place of the last row seen. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import type { Table } from "./table.ts"

/** What the rows of a list are ordered by: the column of their time, and the form in which their ids are sought. */
export interface Order {
  readonly time: "created_at" | "seen_at"
  readonly soughtId: (id: string) => unknown
}

const newest: Order = { time: "created_at", soughtId: Column.soughtUuid }
export const lastSeen: Order = { ...newest, time: "seen_at" }

/** The order of the rows of a table. */
export const orderOf = <A>({ soughtId }: Pick<Table<A>, "soughtId">): Order => ({
  ...newest,
  soughtId
})

/** The time and the place from which a page is of. */
export const within = (
  sql: SqlClient,
  { after, since, until }: Omit<Page.Request, "limit">,
  { soughtId, time }: Order = newest
): ReadonlyArray<Fragment> => [
  ...(since === undefined ? [] : [sql`${sql(time)} >= ${Column.date(since)}`]),
  ...(until === undefined ? [] : [sql`${sql(time)} < ${Column.date(until)}`]),
  ...(after === undefined
    ? []
    : [sql`(${sql(time)}, id) < (${Column.date(after.createdAt)}, ${soughtId(after.id)})`])
]

/** The end of a list's statement: conditions, place, order and one row more than asked for. */
export const tail = (
  sql: SqlClient,
  conditions: ReadonlyArray<Fragment>,
  request: Page.Request,
  order: Order = newest
): Fragment =>
  sql`where ${sql.and([...conditions, ...within(sql, request, order)])}
    order by ${sql(order.time)} desc, id desc limit ${request.limit + 1}`

/**
 * A list of rows of one kind or several. Of each kind as many as a page has are read, in the order of an index that begins
 * with the kind, so that no further index has to hold the order of all. That index has no ids: what is of the last
 * instant is read to its end and sorted here, and the database has no reason to sort all of a kind.
 */
export const ofEach = (
  sql: SqlClient,
  from: Fragment,
  kinds: ReadonlyArray<ReadonlyArray<Fragment>>,
  request: Page.Request,
  order: Order = newest
): Fragment => {
  const each = kinds.map(
    (conditions) => sql`(select * from ${from}
      where ${sql.and([...conditions, ...within(sql, request, order)])}
      order by ${sql(order.time)} desc fetch first ${request.limit + 1} rows with ties)`
  )
  return sql`select * from (${sql.join(" union all ", false)(each)}) of_each
    order by ${sql(order.time)} desc, id desc limit ${request.limit + 1}`
}

/** A number of a column within bounds, both included; an absent bound bounds nothing. */
export const between = (
  sql: SqlClient,
  column: Fragment,
  min: bigint | undefined,
  max: bigint | undefined
): ReadonlyArray<Fragment> => [
  ...(min === undefined ? [] : [sql`${column} >= ${min}`]),
  ...(max === undefined ? [] : [sql`${column} <= ${max}`])
]

export const page = <Row, A extends Page.Position>(
  statement: Effect.Effect<ReadonlyArray<Row>, SqlError>,
  request: Page.Request,
  read: (row: Row) => A
): Effect.Effect<Page.Page<A>> =>
  Effect.map(Answer.all(statement, read), (rows) => Page.cut(rows, request.limit))
