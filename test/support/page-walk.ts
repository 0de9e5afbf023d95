/** Reads a list to its end page by page, the way a caller does, and tells which ids it saw in which order. */
import { Effect } from "effect"
import * as Page from "../../core/operation/page.ts"

export const readAll = Effect.fnUntraced(function* <Row extends Page.Position, E, R>(
  limit: number,
  list: (request: Page.Request) => Effect.Effect<Page.Page<Row>, E, R>
) {
  const rows: Array<Row> = []
  let request: Page.Request | undefined = { limit }
  while (request !== undefined) {
    const page: Page.Page<Row> = yield* list(request)
    rows.push(...page.rows)
    request = page.next === undefined ? undefined : { limit, after: page.next }
  }
  return rows
})

/** The ids of rows in the order every list must have them. */
export const newestFirst = (rows: ReadonlyArray<Page.Position>): ReadonlyArray<string> =>
  [...rows].sort(Page.newestFirst).map((row) => row.id)

export const ids = (rows: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  rows.map((row) => row.id)

/** The ids of the rows at these places, in this order. */
export const idsAt = (
  rows: ReadonlyArray<{ readonly id: string }>,
  ...places: ReadonlyArray<number>
): ReadonlyArray<string> => places.map((place) => rows[place]?.id ?? "none")

/** Rows whose order is no promise, in an order that can be compared. */
export const sorted = <Row extends { readonly id: string }>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<Row> => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
