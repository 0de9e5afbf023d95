/**
 * The statements that most stores make, over one table: look up, list, insert, and change under a guard. What
 * is more than that, a store writes in SQL and reads with its table.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import * as Page from "../../core/operation/page.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Paging from "./paging.ts"
import type { Extra, Row, Table } from "./table.ts"

/** Fields that are equal to these (null is null), or a condition in SQL. */
export type Where<A> = Partial<A> | Statement.Fragment

const words = (text: string) => Statement.fragment([Statement.literal(text)])

/** A writer that leaves the key alone: rows that refer to this one do not wait for it. */
export const forUpdate = words(" for no key update")
/** The same, passing over rows that somebody else holds. */
export const forUpdateIfFree = words(" for no key update skip locked")
export const forShare = words(" for share")
const nothing = words("")

/** The fields that are kept as text. */
type Texts<A> = {
  [Field in keyof A]: A[Field] extends string ? Field : never
}[keyof A] &
  string

type Filter<A> = { readonly [Field in keyof A]?: A[Field] | undefined }

/** Newest first. An absent filter filters nothing. */
type List<A, Owned> = (
  where: Where<Owned>,
  request: Page.Request,
  filter?: Filter<Owned>
) => Effect.Effect<Page.Page<A>>

export const rows = <A extends object, Own extends keyof A = keyof A>(
  sql: SqlClient,
  table: Table<A, Own>
) => {
  const name = sql(table.name)
  type Owned = Pick<A, Own>
  const condition = (where: Where<Owned>) =>
    Statement.isFragment(where) ? where : table.equals(where)
  const select = (where: Where<Owned>, rest = nothing) =>
    sql<Row>`select * from ${name} where ${condition(where)}${rest}`

  const updating = (where: Where<Owned>, to: Partial<Owned>) =>
    sql`update ${name} set ${table.set(to)} where ${condition(where)} returning 1`

  const page: List<A, Owned> = (where, request, filter = {}) => {
    const equal = Object.entries(filter).filter(([, value]) => value !== undefined)
    const conditions = [
      condition(where),
      ...(equal.length === 0 ? [] : [table.equals(Object.fromEntries(equal) as Partial<Owned>)])
    ]
    return Effect.map(
      Answer.all(
        sql<Row>`select * from ${name} ${Paging.tail(sql, conditions, request, Paging.orderOf(table))}`,
        table.read
      ),
      // `page` is there for what has a position, by its type below.
      (found) => Page.cut(found as ReadonlyArray<A & Page.Position>, request.limit)
    )
  }

  return {
    first: (where: Where<Owned>, lock?: Statement.Fragment) =>
      Answer.first(select(where, lock), table.read),

    /** `order` is whatever follows the condition. */
    all: (where: Where<Owned>, order?: Statement.Fragment) =>
      Answer.all(select(where, order), table.read),

    /** One field of the rows of a condition, its order included. */
    pick: (field: Texts<Owned>, condition: Statement.Fragment) => {
      const column = table.column(field)
      return Answer.all(
        sql<Row>`select ${sql(column)} from ${name} where ${condition}`,
        (row) => row[column] as string
      )
    },

    any: (where: Where<Owned>) =>
      Answer.any(sql`select from ${name} where ${condition(where)} limit 1`),

    page: page as A extends Page.Position ? List<A, Owned> : never,

    insert: (noun: A, extra?: Extra) => Answer.done(sql`${table.insert(noun, extra)}`),

    /** False when a unique key has one already. */
    insertNew: (noun: A, conflict: Statement.Fragment = nothing) =>
      Answer.any(sql`${table.insert(noun)} on conflict ${conflict} do nothing returning 1`),

    /** Writes fields of a noun to its row, which must be there and pass the guard. */
    save: (noun: A, fields: ReadonlyArray<Own>, guard: Statement.Fragment = words("true")) =>
      Answer.written(sql`
        update ${name} set ${table.set(noun, fields)}
        where ${table.keyOf(noun)} and ${guard} returning 1`),

    /** Of a row that must be there. */
    update: (where: Where<Owned>, to: Partial<Owned>) => Answer.written(updating(where, to)),

    /** Whether there was a row to change: a guard in the condition lets one of many through. */
    updateIf: (where: Where<Owned>, to: Partial<Owned>) => Answer.any(updating(where, to)),

    updateAll: (where: Where<Owned>, to: Partial<Owned>) => Answer.count(updating(where, to)),

    remove: (where: Where<Owned>) =>
      Answer.count(sql`delete from ${name} where ${condition(where)} returning 1`),

    /** Deletes a batch of rows, found by the index of a time. */
    forget: (where: Statement.Fragment, by: Own & string, max: number) =>
      Batch.deleted(sql, { table: table.name, where, by: table.column(by), max })
  }
}

export type Rows<A extends object> = ReturnType<typeof rows<A>>
