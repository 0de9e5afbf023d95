/**
 * Rows of one table in groups, each group sorted by a number and then by key, so that pages, queues and
 * block ranges are read without walking the whole table.
 */

export interface Ordering<Row> {
  /** The group a row stands in; undefined leaves it out. */
  readonly group: (row: Row) => string | undefined
  readonly at: (row: Row) => number
}

/** How many rows from the start of a sorted list satisfy a condition that, once false, stays false. */
export const countWhile = <Row>(rows: ReadonlyArray<Row>, holds: (row: Row) => boolean): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(rows[middle] as Row)) low = middle + 1
    else high = middle
  }
  return low
}

export class SortedRows<Row> {
  readonly #groups = new Map<string, Array<Row>>()
  readonly #ordering: Ordering<Row>
  readonly #keyOf: (row: Row) => string

  constructor(ordering: Ordering<Row>, keyOf: (row: Row) => string) {
    this.#ordering = ordering
    this.#keyOf = keyOf
  }

  /** The rows of a group, lowest first; a view that the next write may change. */
  group(name: string): ReadonlyArray<Row> {
    return this.#groups.get(name) ?? []
  }

  get groupNames(): Iterable<string> {
    return this.#groups.keys()
  }

  add(row: Row): void {
    const name = this.#ordering.group(row)
    if (name === undefined) return
    const rows = this.#groups.get(name)
    if (rows === undefined) this.#groups.set(name, [row])
    else rows.splice(this.#placeOf(rows, row), 0, row)
  }

  remove(row: Row): void {
    const name = this.#ordering.group(row)
    if (name === undefined) return
    const rows = this.#groups.get(name) ?? []
    rows.splice(this.#placeOf(rows, row), 1)
    if (rows.length === 0) this.#groups.delete(name)
  }

  #placeOf(rows: ReadonlyArray<Row>, row: Row): number {
    const at = this.#ordering.at(row)
    const key = this.#keyOf(row)
    return countWhile(rows, (other) => {
      const difference = this.#ordering.at(other) - at
      return difference < 0 || (difference === 0 && this.#keyOf(other) < key)
    })
  }
}
