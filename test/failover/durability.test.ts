/** What is said of a write on real servers: whether a standby has it, and what a standby itself knows of it. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as PostgresDurability from "../../adapters/postgres/durability.ts"
import * as PostgresIdempotency from "../../adapters/postgres/idempotency.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Server from "../../adapters/postgres/server.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import { Durability } from "../../core/ports/durability.ts"
import * as Rows from "../support/rows.ts"
import * as Servers from "./servers.ts"

const on = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  work.pipe(
    Effect.provide(PostgresDurability.layer),
    Effect.provide(Server.layer({ url: Redacted.make(url), maxConnections: 2 }))
  )

const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isKept, place } = yield* Durability
  const from = yield* sql.withTransaction(
    Effect.andThen(sql`create table if not exists kept (at timestamptz)`, place)
  )
  return { from, isKept: yield* isKept(from) }
})

it.live(
  "a write is kept once a standby has it, and not by a standby of whoever took its place",
  () =>
    Effect.gen(function* () {
      const pair = yield* Effect.acquireRelease(
        Effect.promise(() => Servers.open()),
        (opened) => Effect.promise(() => opened.close())
      )
      const first = yield* on(pair.primaryUrl, write)
      assert.isTrue(first.isKept)
      yield* Effect.promise(() => pair.cut())
      assert.isFalse((yield* on(pair.primaryUrl, write)).isKept)
      yield* Effect.promise(() => pair.promote())
      const elsewhere = Durability.use(({ isKept }) => isKept(first.from))
      assert.isFalse(yield* on(pair.standbyUrl, elsewhere))
    }).pipe(Effect.scoped),
  180_000
)

it.live(
  "a standby, which may lack the newest keys, says of none that nothing was done under it",
  () =>
    Effect.gen(function* () {
      const pair = yield* Effect.acquireRelease(
        Effect.promise(() => Servers.open()),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* on(pair.primaryUrl, Migrate.migrate)
      yield* Effect.promise(() => pair.caughtUp())
      const slot = { accountId: Rows.anId(), operation: "propose_transfer", key: "of an agent" }
      const isTaken = Effect.provide(
        Idempotency.use((keys) => keys.isTaken(slot)),
        PostgresIdempotency.layer
      )
      assert.isFalse(yield* on(pair.primaryUrl, isTaken))
      assert.isTrue(yield* on(pair.standbyUrl, isTaken))
      yield* Effect.promise(() => pair.promote())
      assert.isFalse(yield* on(pair.standbyUrl, isTaken))
    }).pipe(Effect.scoped),
  180_000
)
