/** Every write asked for again by other keys of the account, on the embedded database; its tables are compared whole. */
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { suite } from "../support/replay-suite.ts"
import * as SmallTreasury from "../support/small-treasury.ts"

class Dump extends Context.Service<Dump, Effect.Effect<unknown>>()("test/Dump") {}

/** Every row of every table. */
const dump = Layer.effect(
  Dump,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      const named = yield* sql<{ name: string }>`
        select table_name as name from information_schema.tables where table_schema = 'public'`
      const rows = yield* Effect.forEach(named, ({ name }) =>
        Effect.map(sql.unsafe<{ row: string }>(`select t::text as row from "${name}" t`), (all) =>
          all.map(({ row }) => `${name}: ${row}`).toSorted()
        )
      )
      return rows.flat()
    }).pipe(Effect.orDie)
  )
)

const stores = Layer.merge(
  SmallTreasury.layer(),
  Layer.provide(Layer.merge(Stores.layer, dump), FreshEmbedded.engine)
)

suite("PGlite", stores, () => Effect.flatMap(Dump, (read) => read))
