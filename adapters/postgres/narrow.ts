/**
 * Lists that a search, a tag or an amount narrows down. What few rows have is found by an index, what many have among
 * the newest, so that neither reads an account's rows one after the other, whatever the database guesses.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"
import type { Row, Table } from "./table.ts"

/** Most rows that are found by an index and then sorted. */
const few = 100

/** Most rows that one statement looks at in their order. */
const mostLookedAt = 1000

type Kinds = ReadonlyArray<ReadonlyArray<Statement.Fragment>>

interface Narrowed<A> {
  readonly table: Pick<Table<A>, "name" | "read" | "soughtId">
  /** Where it is not the time of their making. */
  readonly order?: Paging.Order
  /** Whose rows, in the words of the index that keeps their order; of several kinds, where it keeps that of each. */
  readonly of: Statement.Fragment | Kinds
  /** The same rows and all that are asked for, in the words of one index that finds them; left out when none does. */
  readonly found?: Statement.Fragment | undefined
  /** The order of that index, if it has one: whoever asks for it gets the index. */
  readonly foundBy?: Statement.Fragment | undefined
  /** What the rows are to meet, in words that no index serves; a row is called `narrowed` there. */
  readonly conditions: ReadonlyArray<Statement.Fragment>
}

const orderOf = <A>({ order, table }: Narrowed<A>) => order ?? Paging.orderOf(table)

interface Looked<A> {
  readonly met: ReadonlyArray<A>
  readonly last: Page.Position | undefined
}

/** Those of so many rows and one more that meet the conditions, and where the last of them is, unless there are no more. */
const lookedAt = <A extends Page.Position>(
  sql: SqlClient,
  narrowed: Narrowed<A>,
  request: Page.Request
): Effect.Effect<Looked<A>> => {
  const { conditions, of, table } = narrowed
  const [name, order] = [sql(table.name), orderOf(narrowed)]
  const rows = Statement.isFragment(of)
    ? sql`select * from ${name} ${Paging.tail(sql, [of], request, order)}`
    : Paging.ofEach(sql, sql`${name}`, of, request, order)
  return Effect.map(
    Answer.all(
      sql<Row & { readonly meets: boolean; readonly at: Date; readonly id: string }>`
        select narrowed.*, coalesce(${sql.and(conditions)}, false) as meets,
          ${sql(order.time)} as at
        from (${rows}) narrowed
        order by ${sql(order.time)} desc, id desc`,
      (row) => ({
        met: row.meets ? [table.read(row)] : [],
        at: { createdAt: Column.instant(row.at), id: row.id }
      })
    ),
    (looked) => ({
      met: looked.flatMap(({ met }) => met),
      last: looked.length > request.limit ? looked.at(-1)?.at : undefined
    })
  )
}

/** Looks among the newest, which may be all there are, then for few by the index; where there are many, one after the other finds them soon. */
export const page = Effect.fnUntraced(function* <A extends Page.Position>(
  sql: SqlClient,
  narrowed: Narrowed<A>,
  request: Page.Request
) {
  const { conditions, found, foundBy, of, table } = narrowed
  const name = sql(table.name)
  const order = orderOf(narrowed)
  const read = (statement: Parameters<typeof Answer.all<Row, A>>[0]) =>
    Answer.all(statement, table.read)

  const first = 2 * request.limit + 10
  const newest = yield* lookedAt(sql, narrowed, { ...request, limit: first })
  if (newest.met.length > request.limit || newest.last === undefined) {
    return Page.cut(newest.met, request.limit)
  }

  if (found !== undefined) {
    const some = yield* read(
      sql<Row>`select * from ${name} narrowed
        where ${sql.and([found, ...Paging.within(sql, request, order), ...conditions])}
        ${foundBy === undefined ? sql`` : sql`order by ${foundBy}`} limit ${few + 1}`
    )
    if (some.length <= few) return Page.cut(some.toSorted(Page.newestFirst), request.limit)
  }

  if (Statement.isFragment(of)) {
    const tail = Paging.tail(sql, [of, ...conditions], request, order)
    return Page.cut(yield* read(sql<Row>`select * from ${name} narrowed ${tail}`), request.limit)
  }
  // Of several kinds, one may have none to find: asked for its own, it would be read to its end.
  const met = [...newest.met]
  let last: Page.Position | undefined = newest.last
  let limit = first
  while (last !== undefined && met.length <= request.limit) {
    limit = Math.min(2 * limit, mostLookedAt)
    const next: Looked<A> = yield* lookedAt(sql, narrowed, { ...request, after: last, limit })
    met.push(...next.met)
    last = next.last
  }
  return Page.cut(met, request.limit)
})

/** The same of rows whose amount is within bounds, where an index has the amounts of each account in their order. */
export const byAmount = <A extends Page.Position>(
  sql: SqlClient,
  ordered: Pick<Narrowed<A>, "table" | "order">,
  same: ReadonlyArray<Statement.Fragment>,
  {
    maxMicro,
    minMicro
  }: { readonly minMicro?: bigint | undefined; readonly maxMicro?: bigint | undefined },
  request: Page.Request,
  kinds?: Kinds
) => {
  const narrowed = {
    ...ordered,
    of: kinds ?? sql.and(same),
    found: sql.and([...Paging.between(sql, sql`amount_micro`, minMicro, maxMicro), ...same]),
    foundBy: sql`amount_micro`,
    // A sum, which the index of amounts does not serve.
    conditions: Paging.between(sql, sql`(amount_micro + 0)`, minMicro, maxMicro)
  }
  return page(sql, narrowed, request)
}
