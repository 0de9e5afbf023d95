/** Pages of a store's list: newest first by (time, id), cut by the place of the last row seen. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

/** The end of a list's statement: conditions, place, order and one row more than asked for. */
export const tail = (
  sql: SqlClient,
  conditions: ReadonlyArray<Fragment>,
  request: Page.Request,
  time: "created_at" | "seen_at" = "created_at"
): Fragment => {
  const { after, limit, since, until } = request
  const place =
    after === undefined
      ? []
      : [sql`(${sql(time)}, id) < (${Column.date(after.createdAt)}, ${after.id})`]
  const period = [
    ...(since === undefined ? [] : [sql`${sql(time)} >= ${Column.date(since)}`]),
    ...(until === undefined ? [] : [sql`${sql(time)} < ${Column.date(until)}`])
  ]
  return sql`where ${sql.and([...conditions, ...period, ...place])}
    order by ${sql(time)} desc, id desc limit ${limit + 1}`
}

/** A number of a column within bounds, both included; an absent bound bounds nothing. */
export const between = (
  sql: SqlClient,
  column: string,
  min: bigint | undefined,
  max: bigint | undefined
): ReadonlyArray<Fragment> => [
  ...(min === undefined ? [] : [sql`${sql(column)} >= ${min}`]),
  ...(max === undefined ? [] : [sql`${sql(column)} <= ${max}`])
]

export const page = <Row, A extends Page.Position>(
  statement: Effect.Effect<ReadonlyArray<Row>, SqlError>,
  request: Page.Request,
  read: (row: Row) => A
): Effect.Effect<Page.Page<A>> =>
  Effect.map(Answer.all(statement, read), (rows) => Page.cut(rows, request.limit))
