/**
 * Lists that a search, a tag or an amount narrows down. What few rows have is found by an index, what many have among
 * the newest, so that neither reads an account's rows one after the other, whatever the database guesses.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as Paging from "./paging.ts"
import type { Row, Table } from "./table.ts"

/** Most rows that are found by an index and then sorted. */
const few = 100

type Kinds = ReadonlyArray<ReadonlyArray<Statement.Fragment>>

interface Narrowed<A> {
  readonly table: Table<A>
  /** Whose rows, in the words of the index that keeps their order; of several kinds, where it keeps that of each. */
  readonly of: Statement.Fragment | Kinds
  /** The same rows and all that are asked for, in the words of one index that finds them; left out when none does. */
  readonly found?: Statement.Fragment | undefined
  /** The order of that index, if it has one: whoever asks for it gets the index. */
  readonly foundBy?: Statement.Fragment | undefined
  /** What the rows are to meet, in words that no index serves; a row is called `narrowed` there. */
  readonly conditions: ReadonlyArray<Statement.Fragment>
}

/** Looks among the newest, which may be all there are, then for few by the index; where there are many, one after the other finds them soon. */
export const page = Effect.fnUntraced(function* <A extends Page.Position>(
  sql: SqlClient,
  { conditions, found, foundBy, of, table }: Narrowed<A>,
  request: Page.Request
) {
  const name = sql(table.name)
  const read = (statement: Parameters<typeof Answer.all<Row, A>>[0]) =>
    Answer.all(statement, table.read)

  const newestOf = (conditions: ReadonlyArray<Statement.Fragment>, request: Page.Request) =>
    Statement.isFragment(of)
      ? sql`select * from ${name} narrowed ${Paging.tail(sql, [of, ...conditions], request)}`
      : Paging.ofEach(
          sql,
          sql`${name} narrowed`,
          of.map((kind) => [...kind, ...conditions]),
          request
        )

  const looked = 2 * request.limit + 10
  const newest = yield* Answer.all(
    sql<Row & { readonly meets: boolean }>`
      select narrowed.*, coalesce(${sql.and(conditions)}, false) as meets
      from (${newestOf([], { ...request, limit: looked })}) narrowed
      order by created_at desc, id desc`,
    (row) => ({ meets: row.meets, noun: table.read(row) })
  )
  const recent = newest.flatMap(({ meets, noun }) => (meets ? [noun] : []))
  if (recent.length > request.limit || newest.length <= looked) {
    return Page.cut(recent, request.limit)
  }

  if (found !== undefined) {
    const some = yield* read(
      sql<Row>`select * from ${name} narrowed
        where ${sql.and([found, ...Paging.within(sql, request), ...conditions])}
        ${foundBy === undefined ? sql`` : sql`order by ${foundBy}`} limit ${few + 1}`
    )
    if (some.length <= few) return Page.cut(some.toSorted(Page.newestFirst), request.limit)
  }
  return Page.cut(yield* read(sql<Row>`${newestOf(conditions, request)}`), request.limit)
})

/** The same of rows whose amount is within bounds, where an index has the amounts of each account in their order. */
export const byAmount = <A extends Page.Position>(
  sql: SqlClient,
  table: Table<A>,
  same: ReadonlyArray<Statement.Fragment>,
  {
    maxMicro,
    minMicro
  }: { readonly minMicro?: bigint | undefined; readonly maxMicro?: bigint | undefined },
  request: Page.Request
) => {
  const narrowed = {
    table,
    of: sql.and(same),
    found: sql.and([...Paging.between(sql, sql`amount_micro`, minMicro, maxMicro), ...same]),
    foundBy: sql`amount_micro`,
    // A sum, which the index of amounts does not serve.
    conditions: Paging.between(sql, sql`(amount_micro + 0)`, minMicro, maxMicro)
  }
  return page(sql, narrowed, request)
}
