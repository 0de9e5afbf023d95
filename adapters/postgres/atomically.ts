/**
 * All or nothing on SQL. A nested run is a savepoint of the running transaction: what it wrote is undone
 * when it fails, and everything is when the outer one does.
 */
import { Cause, Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Defect from "./defect.ts"
import { Alone, Apart } from "./joint.ts"
import { AtOnce } from "./said.ts"
import { MissingRow } from "./waiting-writes.ts"

/** How often a transaction the database gave up for another's sake is begun again. */
const maxRetries = 5

const lostReasons: ReadonlyArray<string> = ["DeadlockError", "SerializationError"]

/** Whether the database undid the transaction because of a conflict with another, and for nothing in it. */
const wasLost = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      Cause.isDieReason(reason) &&
      isSqlError(reason.defect) &&
      lostReasons.includes(reason.defect.reason._tag)
  )

const diedOf =
  (Defect: new (...given: ReadonlyArray<never>) => object) =>
  (cause: Cause.Cause<unknown>): boolean =>
    cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof Defect)

/** Whether a write that waited did not find its row; whoever asked for it is to be told. */
const missedRow = diedOf(MissingRow)

/** Whether it was one with others, and cannot be. */
const mustGoAlone = diedOf(Apart)

export const layer = Layer.effect(
  Atomically,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const inTransaction = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      sql
        .withTransaction(work)
        .pipe(
          Effect.catch((error: E | SqlError) =>
            isSqlError(error) ? Effect.die(Defect.told(error)) : Effect.fail(error)
          )
        )

    // A little later, and not both at the same time, or they would only meet again.
    const pause = (tries: number) =>
      Defect.orDie(sql`select pg_sleep(random() * 0.05 * ${tries}::integer)`)

    const attempt = <A, E, R>(work: Effect.Effect<A, E, R>, tries = 0): Effect.Effect<A, E, R> =>
      Effect.catchCause(inTransaction(work), (cause) => {
        if (mustGoAlone(cause)) return Effect.provideService(attempt(work, tries), Alone, true)
        if (missedRow(cause)) return attempt(Effect.provideService(work, AtOnce, true), tries)
        return tries < maxRetries && wasLost(cause)
          ? Effect.andThen(pause(tries + 1), attempt(work, tries + 1))
          : Effect.failCause(cause)
      })

    return {
      run: (work) =>
        Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
          running._tag === "Some" ? inTransaction(work) : attempt(work)
        ),
      // What is told needs no services. The client would copy all of them, several times, to give them back to it.
      afterCommit: (work) =>
        Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
          running._tag === "None"
            ? sql.afterCommit(work)
            : Effect.updateContext(sql.afterCommit(work), () =>
                Context.make(sql.transactionService, running.value)
              )
        )
    }
  })
)
