/**
 * The client both engines are spoken to through: sessions that are lent to one transaction or one write at a
 * time, and on a server a few that reads share. What need not wait is said in one packet.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type { Notification, PgConnection } from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, Layer, type Queue, Scope, Semaphore } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { Gathered, type Place } from "./asked-together.ts"
import * as Joint from "./joint.ts"
import * as LoneWrites from "./lone-writes.ts"
import type { Said } from "./merged.ts"
import { isRepeatable } from "./read-again.ts"
import * as ReadOnce from "./read-once.ts"
import { athome, type Speaking } from "./said.ts"
import { type Lent, Session, Transaction } from "./session.ts"
import * as Transactions from "./transactions.ts"
import { saidAll } from "./waiting-writes.ts"

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
const alone = (sessions: Pool, readers: Pool): Connection & Speaking => {
  const borrowed =
    (statement: string) =>
    <A>(work: (session: Session) => Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> => {
      const from = isRead(statement) ? readers : sessions
      return from.use((connection) =>
        work(new Session(Effect.succeed(connection), from.invalidate(connection)))
      )
    }
  const say = ({ parameters, statement }: Said) =>
    borrowed(statement)((session) => session.query(statement, parameters))
  const readOnce = ReadOnce.make(say)
  const query = (said: Said) => (isRepeatable(said.statement) ? readOnce(said) : say(said))
  const place: Place = { say: query, note: () => undefined, known: () => undefined }
  const rows: Speaking["rows"] = (said, gathering) =>
    Effect.map(
      gathering?.takes(said) === true ? gathering.ask(place, said) : query(said),
      (result) => result.rows
    )
  return {
    place,
    rows,
    execute: (text, values) =>
      Effect.withFiber((fiber) =>
        rows({ statement: text, parameters: values }, fiber.getRef(Gathered), undefined)
      ),
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

/** A session for a transaction, given back with the scope. Until something is said on it others may have it. */
const lent = (
  sessions: Pool,
  { commit, join, read }: Pick<Lent, "commit" | "join" | "read">,
  scope: Scope.Scope
): Lent => {
  let taken: PgConnection | undefined
  // What is asked side by side takes one.
  const turn = Semaphore.makeUnsafe(1)
  const take = turn.withPermit(
    Effect.suspend(() =>
      taken === undefined
        ? Effect.tap(Scope.provide(sessions.get, scope), (connection) =>
            Effect.sync(() => {
              taken = connection
            })
          )
        : Effect.succeed(taken)
    )
  )
  return {
    connection: Effect.suspend(() => (taken === undefined ? take : Effect.succeed(taken))),
    isTaken: () => taken !== undefined,
    discard: Effect.suspend(() => (taken === undefined ? Effect.void : sessions.invalidate(taken))),
    commit,
    join,
    read
  }
}

const nobody: Lent["join"] = () => undefined

const commit = (session: Connection) =>
  Effect.asVoid(session.executeRaw("COMMIT", []) as Effect.Effect<unknown, SqlError>)

const over = (
  sessions: Pool,
  readers: Pool
): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity> => {
  const outside = alone(sessions, readers)
  const commitElsewhere = LoneWrites.make((writes) =>
    sessions.use((connection) => {
      const session = new Session(Effect.succeed(connection), sessions.invalidate(connection))
      return saidAll(({ parameters, statement }) => session.query(statement, parameters), writes)
    })
  )
  const join = Joint.make((work) =>
    sessions.use((connection) => {
      const session = new Session(Effect.succeed(connection), sessions.invalidate(connection))
      return work(({ parameters, statement }) => session.query(statement, parameters))
    })
  )
  const shared = { commit: commitElsewhere, join, read: outside.place.say }
  const lend = (scope: Scope.Scope, isAlone: boolean) =>
    new Transaction(lent(sessions, isAlone ? { ...shared, join: nobody } : shared, scope))
  const made = SqlClient.make({
    acquirer: Effect.succeed(outside),
    borrower: (work) => work(outside),
    transactionAcquirer: Effect.map(Effect.scope, (scope) => lend(scope, true)),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  return Effect.map(made, (client) => {
    const service = client.transactionService
    return athome(Object.assign(client, Transactions.make({ service, lend, commit })), outside)
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
