/**
 * The installation's own sealed keys, by name: the wrapped data key and the encrypted seed. What stands
 * is never replaced here, so of many processes that start at once all use the same.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"

export interface KeyMaterial {
  readonly name: string
  /** Ciphertext; the key that opens it is never in the database. */
  readonly sealed: string
  readonly version: number
}

export const find = (
  name: string
): Effect.Effect<KeyMaterial | undefined, never, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Answer.first(
      sql<KeyMaterial>`select name, sealed, version from key_material where name = ${name}`,
      (row) => row
    )
  )

/** Keeps it when nothing stands under the name, and gives back what stands. */
export const keep = (
  name: string,
  sealed: string
): Effect.Effect<KeyMaterial, never, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Answer.done(sql`
      insert into key_material (name, sealed, version) values (${name}, ${sealed}, 1)
      on conflict do nothing`)
    return (yield* find(name)) ?? (yield* Effect.die(new Error(`No key material ${name}`)))
  })
