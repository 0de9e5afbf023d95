/**
 * Whether what was filled could have been written by the product: every key to another table holds. What a single row
 * must be is tried as it is filled, as conditions of columns and unique keys stay on.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Puts every reference to the test again that was off while rows were written; says which do not hold. */
export const brokenReferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const references = yield* sql<{ readonly name: string; readonly of: string }>`
    select conname as name, conrelid::regclass::text as of from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`
  yield* sql`set statement_timeout = 0`
  yield* sql`update pg_constraint set convalidated = false
    where contype = 'f' and connamespace = 'public'::regnamespace`
  const broken = yield* Effect.filter(references, ({ name, of }) =>
    Effect.isFailure(sql.unsafe(`alter table ${of} validate constraint "${name}"`))
  )
  yield* sql`set statement_timeout = '15s'`
  return broken.map(({ name }) => name)
})
