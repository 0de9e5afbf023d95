/**
 * The installation's own sealed keys, by name: the wrapped data key and the encrypted seed. What stands
 * is replaced only by whoever names it, so of many processes that start at once all use the same.
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
    const standing = yield* find(name)
    if (standing !== undefined) return standing
    const sql = yield* SqlClient.SqlClient
    yield* Answer.done(sql`
      insert into key_material (name, sealed, version) values (${name}, ${sealed}, 1)
      on conflict do nothing`)
    return (yield* find(name)) ?? (yield* Effect.die(new Error(`No key material ${name}`)))
  })

/** Puts another text in the place of the one that stands; false when that is another by now. */
export const replace = (
  name: string,
  sealed: string,
  by: string
): Effect.Effect<boolean, never, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Answer.any(sql`
      update key_material set sealed = ${by}, version = version + 1
      where name = ${name} and sealed = ${sealed}
      returning name`)
  )
