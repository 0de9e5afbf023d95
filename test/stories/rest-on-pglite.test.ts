/** All stories over REST, on the embedded database and a real chain. The engine starts once, and each story finds its tables as new. */
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as FreshEmbedded from "../support/fresh-embedded-database.ts"
import { realWorld } from "./real-world.ts"
import { tellAll } from "./telling.ts"

/** What a story may fill: every table that its migrations leave empty. */
const emptyTables = async (database: PGlite): Promise<ReadonlyArray<string>> => {
  const { rows } = await database.query<{ readonly name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'"
  )
  const filled = await Promise.all(
    rows.map(({ name }) => database.query(`select from ${name} limit 1`))
  )
  return rows.flatMap(({ name }, at) => (filled[at]?.rows.length === 0 ? [name] : []))
}

const open = async () => {
  const database = await FreshEmbedded.open()
  return { database, tables: await emptyTables(database) }
}

let opened: ReturnType<typeof open> | undefined

const emptied = Effect.promise(async () => {
  opened ??= open()
  const { database, tables } = await opened
  // As a replica, for triggers refuse to have rows removed that only grow.
  await database.transaction((transaction) =>
    transaction.exec(
      `set local session_replication_role = replica;
      truncate ${tables.join(", ")} restart identity`
    )
  )
  return database
})

afterAll(async () => (await opened)?.database.close())

tellAll("REST, PGlite, anvil", realWorld(Layer.unwrap(Effect.map(emptied, Embedded.on)), "REST"))
