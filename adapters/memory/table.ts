/**
 * A table: frozen rows by key, with unique keys and sorted groups beside them. Every change leaves a step
 * in a journal that takes it back, so that a transaction can be undone whole.
 */
import { frozen } from "./frozen.ts"
import { type Ordering, SortedRows } from "./sorted-rows.ts"

/** The steps that take changes back, in the order the changes were made. */
export type Journal = Array<() => void>

export const undo = (journal: Journal): void => {
  for (const step of journal.toReversed()) step()
}

/** What a table is; a store keeps one table for each definition. */
export interface Definition<Row, Unique extends string = never, Sorted extends string = never> {
  readonly name: string
  readonly key: (row: Row) => string
  /** Unique indexes. Rows whose value is undefined are not indexed. */
  readonly unique?: Readonly<Record<Unique, (row: Row) => string | undefined>>
  readonly sorted?: Readonly<Record<Sorted, Ordering<Row>>>
}

/** Names the row type and lets the names of keys and orders be inferred. */
export const define =
  <Row>() =>
  <Unique extends string = never, Sorted extends string = never>(
    definition: Definition<Row, Unique, Sorted>
  ): Definition<Row, Unique, Sorted> =>
    definition

export class Table<Row, Unique extends string = never, Sorted extends string = never> {
  readonly #name: string
  readonly #keyOf: (row: Row) => string
  readonly #rows = new Map<string, Row>()
  readonly #unique: ReadonlyMap<
    string,
    readonly [(row: Row) => string | undefined, Map<string, Row>]
  >
  readonly #sorted: ReadonlyMap<string, SortedRows<Row>>

  constructor(definition: Definition<Row, Unique, Sorted>) {
    const { key, name, sorted = {}, unique = {} } = definition
    this.#name = name
    this.#keyOf = key
    this.#unique = new Map(
      Object.entries<(row: Row) => string | undefined>(unique).map(([index, of]) => [
        index,
        [of, new Map()]
      ])
    )
    this.#sorted = new Map(
      Object.entries<Ordering<Row>>(sorted).map(([index, ordering]) => [
        index,
        new SortedRows(ordering, key)
      ])
    )
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  by(index: Unique, value: string): Row | undefined {
    return this.#unique.get(index)?.[1].get(value)
  }

  /** The rows of a group, lowest first; read it before the next write. */
  group(index: Sorted, name: string): ReadonlyArray<Row> {
    return this.#sorted.get(index)?.group(name) ?? []
  }

  groupNames(index: Sorted): Iterable<string> {
    return this.#sorted.get(index)?.groupNames ?? []
  }

  get all(): ReadonlyArray<Row> {
    return [...this.#rows.values()]
  }

  /** Adds a row; a key that is taken is a defect. */
  insert(journal: Journal, row: Row): void {
    const key = this.#keyOf(row)
    if (this.#rows.has(key)) throw new Error(`${this.#name}: ${key} is there already`)
    this.#change(journal, undefined, frozen(row))
  }

  /** Writes a row over the one with its key; that there is none is a defect. */
  replace(journal: Journal, row: Row): void {
    const key = this.#keyOf(row)
    const before = this.#rows.get(key)
    if (before === undefined) throw new Error(`${this.#name}: there is no ${key}`)
    this.#change(journal, before, frozen(row))
  }

  /** Writes some fields of a row to the one with its key. */
  revise<Field extends keyof Row>(journal: Journal, row: Row, fields: ReadonlyArray<Field>): void {
    const before = this.#rows.get(this.#keyOf(row))
    if (before === undefined) throw new Error(`${this.#name}: there is no ${this.#keyOf(row)}`)
    const to = Object.fromEntries(fields.map((field) => [field, row[field]]))
    this.#change(journal, before, frozen({ ...before, ...to }))
  }

  delete(journal: Journal, key: string): void {
    const before = this.#rows.get(key)
    if (before !== undefined) this.#change(journal, before, undefined)
  }

  #change(journal: Journal, before: Row | undefined, after: Row | undefined): void {
    if (after !== undefined) this.#refuseTwins(before, after)
    this.#put(before, after)
    journal.push(() => this.#put(after, before))
  }

  #refuseTwins(before: Row | undefined, after: Row): void {
    for (const [index, [of, rows]] of this.#unique) {
      const value = of(after)
      const holder = value === undefined ? undefined : rows.get(value)
      if (holder !== undefined && holder !== before) {
        throw new Error(`${this.#name}: ${index} ${value} is taken`)
      }
    }
  }

  #put(before: Row | undefined, after: Row | undefined): void {
    if (before !== undefined) {
      this.#rows.delete(this.#keyOf(before))
      for (const [of, rows] of this.#unique.values()) rows.delete(of(before) ?? "")
      for (const rows of this.#sorted.values()) rows.remove(before)
    }
    if (after !== undefined) {
      this.#rows.set(this.#keyOf(after), after)
      for (const [of, rows] of this.#unique.values()) {
        const value = of(after)
        if (value !== undefined) rows.set(value, after)
      }
      for (const rows of this.#sorted.values()) rows.add(after)
    }
  }
}
