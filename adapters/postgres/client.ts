/**
 * The client both engines are spoken to through: a pool of sessions, each lent to one statement or to one
 * transaction at a time. It pipelines, so that a transaction says in one packet what need not wait.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { Notification } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, Layer, type Queue, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { Session, Transaction } from "./session.ts"

export type Config = PgPool.Config

export type Pool = PgPool.PgPool

/** One session for each statement or transaction, which has it to itself. */
export const pool = (config: Config): Effect.Effect<Pool, SqlError, Scope.Scope> =>
  PgPool.make({ ...config, multiplex: true, multiplexConcurrency: 1 })

const commit = (session: Connection) =>
  Effect.asVoid(session.executeRaw("COMMIT", []) as Effect.Effect<unknown, SqlError>)

const over = (
  sessions: Pool
): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity> => {
  const lent = Effect.map(
    sessions.get,
    (connection) => new Session(connection, sessions.invalidate(connection))
  )
  return SqlClient.make({
    acquirer: lent,
    borrower: (work) =>
      sessions.use((connection) => work(new Session(connection, sessions.invalidate(connection)))),
    transactionAcquirer: Effect.map(
      sessions.get,
      (connection) => new Transaction(connection, sessions.invalidate(connection))
    ),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
}

/** Hears a channel for as long as the scope lives, in a session of its own. */
export const listen = (
  sessions: Pool,
  channel: string
): Effect.Effect<Queue.Dequeue<Notification, SqlError>, SqlError, Scope.Scope> =>
  Effect.flatMap(sessions.reserve, (session) => session.listen(channel))

/** The client of a pool, as statements ask for it. */
export const layer = (sessions: Pool): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(SqlClient.SqlClient, over(sessions)).pipe(Layer.provide(Reactivity.layer))
