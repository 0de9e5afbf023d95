/** All stories over REST, on the embedded database and a real chain. The engine starts once, and each story finds it empty. */
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import { realWorld } from "./real-world.ts"
import { tellAll } from "./telling.ts"

let opened: Promise<PGlite> | undefined

const emptied = Effect.promise(async () => {
  opened ??= PGlite.create()
  const database = await opened
  await database.exec("drop schema public cascade; create schema public")
  return database
})

afterAll(async () => (await opened)?.close())

tellAll("REST, PGlite, anvil", realWorld(Layer.unwrap(Effect.map(emptied, Embedded.on)), "REST"))
