/**
 * The client both engines are spoken to through: sessions that are lent to one transaction or one write at a
 * time, and on a server a few that reads share. What need not wait is said in one packet.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { Notification } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, Layer, type Queue, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { Gathered, type Place } from "./asked-together.ts"
import { Session, Transaction } from "./session.ts"

export type Config = PgPool.Config

export type Pool = PgPool.PgPool

/** How many reads may be on the wire of one shared session; they also wait for the slowest before them. */
const readsAtOnce = 16

/** Sessions that are lent to one statement or one transaction at a time. */
export const pool = (config: Config): Effect.Effect<Pool, SqlError, Scope.Scope> =>
  PgPool.make({ ...config, multiplex: true, multiplexConcurrency: 1 })

/** Sessions that reads share: what is asked at the same time goes in one packet, and is answered in one. */
export const sharedPool = (config: Config): Effect.Effect<Pool, SqlError, Scope.Scope> =>
  PgPool.make({ ...config, multiplex: true, multiplexConcurrency: readsAtOnce })

const isRead = (statement: string): boolean =>
  /^\s*select\b/iu.test(statement) && !/\bfor (?:no key )?(?:update|share)\b/iu.test(statement)

/** Statements outside of a transaction: each takes a session for as long as it runs. */
const alone = (sessions: Pool, readers: Pool): Connection => {
  const borrowed =
    (statement: string) =>
    <A>(work: (session: Session) => Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> => {
      const from = isRead(statement) ? readers : sessions
      return from.use((connection) => work(new Session(connection, from.invalidate(connection))))
    }
  const place: Place = {
    say: ({ parameters, statement }) =>
      borrowed(statement)((session) => session.query(statement, parameters)),
    note: () => undefined
  }
  return {
    execute: (text, values) =>
      Effect.withFiber((fiber) => {
        const said = { statement: text, parameters: values }
        const together = fiber.getRef(Gathered)?.ask(place, said)
        return together === undefined
          ? borrowed(text)((session) => session.execute(text, values))
          : Effect.map(together, ({ rows }) => rows)
      }),
    executeRaw: (text, values) => borrowed(text)((session) => session.executeRaw(text, values)),
    executeUnprepared: (text, values) =>
      borrowed(text)((session) => session.executeUnprepared(text, values)),
    executeValues: (text, values) =>
      borrowed(text)((session) => session.executeValues(text, values)),
    executeValuesUnprepared: (text, values) =>
      borrowed(text)((session) => session.executeValuesUnprepared(text, values)),
    executeStream: () => Stream.die(new Error("Nothing here reads rows one by one"))
  }
}

const commit = (session: Connection) =>
  Effect.asVoid(session.executeRaw("COMMIT", []) as Effect.Effect<unknown, SqlError>)

const over = (
  sessions: Pool,
  readers: Pool
): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity> => {
  const outside = alone(sessions, readers)
  return SqlClient.make({
    acquirer: Effect.succeed(outside),
    borrower: (work) => work(outside),
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

/** The client as statements ask for it; without readers, reads take sessions as writes do. */
export const layer = (sessions: Pool, readers: Pool = sessions): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(SqlClient.SqlClient, over(sessions, readers)).pipe(Layer.provide(Reactivity.layer))
