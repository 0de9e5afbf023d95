/**
 * Rows by the million, copied from one that the product wrote itself: whatever a column holds, its form is right.
 * What stands guard over single writes is off meanwhile; sums that it keeps are written by hand.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * Ids begin with their time, as those of the product do; the newest row is a minute old, the oldest eighty days. Each is
 * one expression of what cannot change meanwhile, so that the database writes it into the statement and calls nothing.
 */
export const functions: ReadonlyArray<string> = [
  `create function scale_at(n bigint, rows bigint) returns timestamptz language sql stable as $$
    select date_trunc('day', now()) - interval '80 days' + interval '79 days' * (n::float8 / rows)
  $$`,
  `create function scale_id(kind text, n bigint, rows bigint) returns uuid language sql stable as $$
    select (lpad(to_hex((extract(epoch from scale_at(n, rows)) * 1000)::bigint), 12, '0') || '7' ||
      substr(md5(kind || n::text), 1, 3) || '8' || substr(md5(kind || n::text), 4, 15))::uuid
  $$`,
  `create function scale_hex(kind text, n bigint, digits integer) returns text
    language sql immutable parallel safe as $$
    select '0x' || left(md5(kind || n::text) || md5(n::text || kind), digits)
  $$`,
  // The same as a row of a payment keeps it.
  `create function scale_bytes(kind text, n bigint, digits integer) returns bytea
    language sql immutable parallel safe as $$
    select '\\x02'::bytea || decode(left(md5(kind || n::text) || md5(n::text || kind), digits), 'hex')
  $$`
]

export interface Copies {
  readonly table: string
  /** Which row is copied, by a condition in SQL. */
  readonly of: string
  /** What differs of each, by column, in SQL over its number `n` of `rows`. */
  readonly but: Readonly<Record<string, string>>
  /** How many; as many as the size has when left out. */
  readonly count?: number
}

/** Most that one statement writes. */
const batch = 50_000

/** The columns that may be written, in their order. */
const columnsOf = (table: string) =>
  Effect.map(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ name: string }>`
        select column_name as name from information_schema.columns
        where table_schema = 'public' and table_name = ${table}
          and is_generated = 'NEVER' and is_identity = 'NO'
        order by ordinal_position`
    ),
    (rows) => rows.map(({ name }) => name)
  )

/** In a transaction of its own without limits, triggers and keys to other tables. */
export const unguarded = <E, R>(work: Effect.Effect<unknown, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local session_replication_role = replica`
        yield* sql`set local statement_timeout = 0`
        yield* sql`set local synchronous_commit = off`
        yield* work
      })
    )
  )

/** The rows that copies of one row are, in SQL; none, and a word about it, when there is no row to copy. */
const rowsOf = Effect.fnUntraced(function* (rows: number, { but, count, of, table }: Copies) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* columnsOf(table)
  const unknown = Object.keys(but).filter((name) => !columns.includes(name))
  if (unknown.length > 0) return yield* Effect.die(new Error(`${table} has no ${unknown.join()}`))
  const [there] = yield* sql.unsafe<{ found: boolean }>(
    `select exists (select from "${table}" t where ${of}) as found`
  )
  if (there?.found !== true) console.error(`No ${table} where ${of}`)
  const most = there?.found === true ? (count ?? rows) : 0
  // A table may have columns of the same names.
  const numbered = (text: string) => text.replaceAll(/\b(n|rows)\b/gu, "of.$1")
  const values = columns.map((name) =>
    but[name] === undefined ? `t."${name}"` : `(${numbered(but[name])}) as "${name}"`
  )
  const from = (first: number, last: number, together: boolean) =>
    `select ${together ? "of.n as turn, " : ""}${values.join(", ")}
      from (select * from "${table}" t where ${of} limit 1) t cross join
        (select n, ${most}::bigint as rows from generate_series(${first}::bigint,
          ${Math.min(most, last)}::bigint) n) of`
  return { columns, from, most }
})

/**
 * Writes copies of a row. What is copied together is of one table and written in turns, as it would have come: rows of
 * the same time lie side by side.
 */
export const copy = Effect.fnUntraced(function* (rows: number, together: ReadonlyArray<Copies>) {
  const sql = yield* SqlClient.SqlClient
  const all = yield* Effect.forEach(together, (copies) => rowsOf(rows, copies))
  const most = Math.max(...all.map((each) => each.most))
  const columns = (all[0]?.columns ?? []).map((name) => `"${name}"`).join(", ")
  for (let from = 1; from <= most; from += batch) {
    const isTogether = all.length > 1
    const each = all.map((part) => part.from(from, from + batch - 1, isTogether))
    const selected = isTogether
      ? `select ${columns} from (${each.join(" union all ")}) together order by turn`
      : each.join("")
    yield* unguarded(sql.unsafe(`insert into "${together[0]?.table}" (${columns}) ${selected}`))
  }
})
