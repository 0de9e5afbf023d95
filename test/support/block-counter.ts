/** Counts the blocks of tables and indexes that work reads: a measure of its cost that no load disturbs. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const total = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What the only connection has counted is handed in when it is next idle.
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly blocks: number }>`
    select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0)
      + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
      + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0))::integer as blocks
    from pg_statio_user_tables`
  return row?.blocks ?? 0
})

/** What the work gave, and the blocks it read; on an engine with one connection alone. */
export const blocksOf = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = yield* total
  const found = yield* work
  return { found, blocks: (yield* total) - before }
})
