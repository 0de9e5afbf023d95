/**
 * The transactions of one client: a nested one is a savepoint, and takes its turn. Whoever begins one keeps its own services
 * and gets one more; the client's own way copies all of them.
 */
import { Context, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlClient, TransactionConnection } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Spans from "../../core/operation/spans.ts"
import { Alone } from "./joint.ts"

type Service = SqlClient["transactionService"]

/** A transaction, or a part of one that is undone by itself: as the client's statements look for it, and what it is to run after its commit. */
type Level = TransactionConnection.Service & {
  readonly turn: Semaphore.Semaphore
  readonly afterCommit: Array<Effect.Effect<void>>
  isOpen: boolean
}

const levelOf = (connection: Connection, depth: number): Level =>
  Object.assign([connection, depth] as const, {
    turn: Semaphore.makeUnsafe(1),
    afterCommit: [],
    isOpen: true
  })

export interface Ways {
  readonly service: Service
  /** Lends a connection for one transaction until the scope closes. */
  readonly lend: (scope: Scope.Scope, isAlone: boolean) => Connection
  readonly commit: (connection: Connection) => Effect.Effect<void, SqlError>
}

const control = (connection: Connection, statement: string) =>
  connection.execute(statement, [], undefined)

const unhandled = { log: "Unhandled", message: "What was to run after a commit failed" } as const

/** What work comes to at its level: nothing of it is in the hands of whoever interrupts. */
const exitOf = <A, E, R>(
  service: Service,
  level: Level,
  work: Effect.Effect<A, E, R>
): Effect.Effect<Exit.Exit<A, E | SqlError>, never, R> =>
  Effect.exit(
    Effect.updateContext(work, (services: Context.Context<R>) =>
      Context.add(services, service, level)
    )
  )

const whole = <A, E, R>(
  { commit, lend, service }: Ways,
  isAlone: boolean,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    const connection = lend(scope, isAlone)
    const level = levelOf(connection, 0)
    const ended = Effect.flatMap(exitOf(service, level, work), (exit) =>
      Exit.isSuccess(exit)
        ? Effect.as(commit(connection), exit.value)
        : Effect.andThen(Effect.orDie(control(connection, "ROLLBACK")), exit)
    )
    return Effect.flatMap(Effect.exit(ended), (exit: Exit.Exit<A, E | SqlError>) => {
      level.isOpen = false
      const told = Exit.isSuccess(exit) ? level.afterCommit : []
      // Others may have its session before anybody is told.
      const closed = Effect.andThen(Scope.close(scope, exit), Effect.all(told, { discard: true }))
      return Effect.andThen(closed, exit)
    })
  })

const part = <A, E, R>(
  service: Service,
  outer: Level,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    const [connection, depth] = outer
    const level = levelOf(connection, depth + 1)
    const name = `effect_sql_${depth + 1}`
    const released = Effect.orDie(control(connection, `RELEASE SAVEPOINT ${name}`))
    const undone = Effect.orDie(control(connection, `ROLLBACK TO SAVEPOINT ${name}`))
    const ended = Effect.flatMap(exitOf(service, level, work), (exit) => {
      level.isOpen = false
      if (Exit.isFailure(exit)) return Effect.andThen(Effect.andThen(undone, released), exit)
      outer.afterCommit.push(...level.afterCommit)
      return Effect.andThen(released, exit)
    })
    return Effect.andThen(control(connection, `SAVEPOINT ${name}`), ended)
  })

export const make = (ways: Ways) => {
  const { service } = ways
  const runningIn = <R>(services: Context.Context<R>) =>
    Context.getOrUndefined(services as Context.Context<TransactionConnection>, service) as
      | Level
      | undefined

  const withTransaction = <A, E, R>(
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SqlError, R> =>
    Spans.inSpan(
      "sql.transaction",
      Effect.uninterruptibleMask((restore) =>
        Effect.contextWith((services: Context.Context<R>) => {
          const outer = runningIn(services)
          return outer === undefined
            ? whole(ways, Context.get(services, Alone), restore(work))
            : outer.turn.withPermit(part(service, outer, restore(work)))
        })
      )
    )

  /** It has the services of whoever began the transaction, outside of it. */
  const afterCommit = <R>(work: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
    Effect.contextWith((services: Context.Context<R>) => {
      const running = runningIn(services)
      const told = Effect.ignoreCause(work, unhandled)
      if (running === undefined) return told
      if (!running.isOpen) return Effect.die(new Error("The transaction has ended already"))
      // What it needs was there when the transaction began.
      running.afterCommit.push(told as Effect.Effect<void>)
      return Effect.void
    })

  return { withTransaction, afterCommit }
}
