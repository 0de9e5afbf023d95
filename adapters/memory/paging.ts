/** Cuts pages, newest first, out of rows that a table keeps oldest first. */
import { DateTime } from "effect"
import * as Page from "../../core/operation/page.ts"
import { countWhile } from "./sorted-rows.ts"

/** Walks down from the place asked for and stops as soon as the page and the row after it are found. */
export const page = <Row, Shown extends Page.Position>(
  rows: ReadonlyArray<Row>,
  request: Page.Request,
  show: (row: Row) => Shown,
  isWanted: (shown: Shown) => boolean = () => true
): Page.Page<Shown> => {
  const { after, limit, since } = request
  const end =
    after === undefined ? rows.length : countWhile(rows, (row) => Page.isAfter(show(row), after))
  const found: Array<Shown> = []
  for (let place = end - 1; place >= 0 && found.length <= limit; place--) {
    const shown = show(rows[place] as Row)
    if (since !== undefined && DateTime.isLessThan(shown.createdAt, since)) break
    if (Page.isWithin(shown, request) && isWanted(shown)) found.push(shown)
  }
  return Page.cut(found, limit)
}
