/**
 * What becomes of a statement that fails: a defect, as nobody who calls could do anything about it. Where the database
 * takes no writes or is away, the defect says so in the words of core.
 */
import { Cause, Effect, Predicate } from "effect"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { type Outage, outageOf, RecordsAway, RecordsReadOnly } from "../../core/ports/records.ts"

/** A session that only reads: ours while there is no room, or one of a server that is kept from being changed. */
const readsOnly = "25006"
const diskFull = "53100"

/** It stops, it crashed, or it does not yet take sessions again. */
const away: ReadonlyArray<unknown> = ["57P01", "57P02", "57P03"]

const partsOf = (cause: unknown) => ({
  code: Predicate.hasProperty(cause, "code") ? cause.code : undefined,
  text: cause instanceof Error ? cause.message.replace(/\.$/u, "") : ""
})

/** The same error, and below it what is wrong with the database as a whole. */
export const told = <E>(error: E): E | SqlError => {
  if (!(error instanceof SqlError)) return error
  const { cause, message, operation } = error.reason
  const { code, text } = partsOf(cause)
  const shown = { message, ...(operation === undefined ? {} : { operation }) }
  if (code === readsOnly || code === diskFull) {
    const why = code === diskFull ? text : "it is read-only, as where its disk is full"
    const below = new RecordsReadOnly({ message: `The database takes no writes: ${why}`, cause })
    return new SqlError({ reason: new UnknownError({ ...shown, cause: below }) })
  }
  const isAway = error.reason._tag === "ConnectionError"
  if (!isAway && !away.includes(code)) return error
  const below = new RecordsAway({ message: `The database does not answer: ${text}`, cause })
  const Reason = isAway ? ConnectionError : UnknownError
  return new SqlError({ reason: new Reason({ ...shown, cause: below }) })
}

/** The error of the database in what somebody else made of it. */
const errorIn = (error: unknown): unknown => {
  if (error instanceof SqlError) return error
  if (Cause.isCause(error)) return errorIn(Cause.squash(error))
  return error instanceof Error ? errorIn(error.cause) : undefined
}

/** The outage that a statement of somebody else's failed for, if it did for one. */
export const outageIn = (cause: Cause.Cause<unknown>): Outage | undefined =>
  outageOf(Cause.die(told(errorIn(cause))))

export const orDie = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.catch(work, (error) => Effect.die(told(error)))
