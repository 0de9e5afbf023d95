/** A database whose blocks are counted, and accounts with thousands of rows in it: what a list costs is what it reads. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../adapters/postgres/stores.ts"
import { blocksOf } from "./block-counter.ts"
import * as FreshDatabase from "./fresh-database.ts"
import { inSql } from "./numbered-ids.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
export const stores = Layer.orDie(Layer.provideMerge(Stores.layer, engine))

export const many = 5000
const others = 2000
export const page = { limit: 5 }

/** Most that a call may read: fewer than the rows of the account have pages. */
export const most = 120

/** Copies of a row of the account, and as many of strangers that have one row each. */
export const copies = Effect.fnUntraced(function* (
  table: string,
  id: string,
  but: Readonly<Record<string, string>>,
  strangers = others
) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string }>`
    select column_name as name from information_schema.columns where table_name = ${table}
      and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`
  const names = columns.map(({ name }) => `"${name}"`).join(", ")
  const values = columns.map(({ name }) => but[name] ?? `of."${name}"`).join(", ")
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`set local statement_timeout = 0`
      // Made anew from what there is, which is faster.
      const slow = yield* sql<{ readonly name: string; readonly definition: string }>`
        select indexname as name, indexdef as definition from pg_indexes
        where tablename = ${table} and indexdef like '%USING gin%'`
      for (const { name } of slow) yield* sql.unsafe(`drop index ${name}`)
      yield* sql.unsafe(`insert into ${table} (${names}) select ${values}
        from ${table} of, generate_series(1, ${many + strangers}) n where of.id = '${id}'`)
      for (const { definition } of slow) yield* sql.unsafe(definition)
    })
  )
  yield* sql`set statement_timeout = 0`
  yield* sql.unsafe(`vacuum analyze ${table}`)
  yield* sql`set statement_timeout = '15s'`
})

export const account = `case when n <= ${many} then of.account_id else ${inSql("stranger")} end`

/** Often enough for the database to choose the plan that it would keep. */
export const often = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.replicateEffect(work, 6), blocksOf(work))
