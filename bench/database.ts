/**
 * A PostgreSQL of its own for a measurement, from npm's binaries, that really writes its commits to disk, and
 * knows when each was made.
 */
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../adapters/postgres/server.ts"
import * as PostgresServer from "../test/support/postgres-server.ts"

const name = "bursar"

/** Runs effects on a database of the server, with a pool that is closed behind them. */
export const runOn = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(
    Effect.provide(work, Server.layer({ url: Redacted.make(url), maxConnections: 2 }))
  )

export const open = async () => {
  const server = await PostgresServer.start({ durable: true })
  const create = (database: string, template: string) =>
    runOn(
      server.url("postgres"),
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`create database ${sql(database)} template ${sql(template)}`
      )
    )
  await runOn(
    server.url("postgres"),
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter system set track_commit_timestamp = on`)
  )
  await server.restart("SIGINT")
  await create(name, "template0")
  return {
    url: server.url(name),
    /** A database with the same rows as the first one, which nobody may be connected to. */
    copy: async (database: string) => {
      await create(database, name)
      return server.url(database)
    },
    stop: server.stop
  }
}
