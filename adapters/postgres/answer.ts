/**
 * What a store makes of a statement's rows. A statement that fails is a fault of ours or of the database,
 * never of the caller, so it is a defect.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as ReadOnce from "./read-once.ts"
import { answered } from "./said.ts"

type Statement<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError>

export const all = <Row, A>(
  statement: Statement<Row>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> => answered(statement, (rows) => ReadOnce.each(rows, read))

export const first = <Row, A>(
  statement: Statement<Row>,
  read: (row: Row) => A
): Effect.Effect<A | undefined> =>
  answered(statement, (rows) => (rows.length === 0 ? undefined : ReadOnce.first(rows, read)))

/** The row of a statement that always gives one. */
export const only = <Row, A>(statement: Statement<Row>, read: (row: Row) => A): Effect.Effect<A> =>
  answered(statement, (rows) => {
    if (rows.length === 0) throw new Error("The statement gave no row")
    return ReadOnce.first(rows, read)
  })

const lengthOf = (rows: ReadonlyArray<unknown>): number => rows.length
const isNotEmpty = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
const nothing = (): void => undefined

/** How many rows it gave back. */
export const count = (statement: Statement<unknown>): Effect.Effect<number> =>
  answered(statement, lengthOf)

/** Whether it gave back any row: a guarded write that took effect. */
export const any = (statement: Statement<unknown>): Effect.Effect<boolean> =>
  answered(statement, isNotEmpty)

/**
 * A guarded write that nearly always takes effect. It may wait for the next answer: where it took none, the transaction is
 * begun again and told so.
 */
export const taken = (statement: Statement<unknown>): Effect.Effect<boolean> =>
  answered(statement, isNotEmpty, 1)

/** A write to a row that must be there; one that is not is a fault of ours. It may wait for the next answer. */
export const written = (statement: Statement<unknown>): Effect.Effect<void> =>
  answered(
    statement,
    (rows) => {
      if (rows.length === 0) throw new Error("The row to write to is not there")
    },
    1
  )

/** A write to so many rows that must all be there. It may wait, too. */
export const writtenAll = (rows: number, statement: Statement<unknown>): Effect.Effect<void> =>
  answered(
    statement,
    (written) => {
      if (written.length !== rows) {
        throw new Error(`${rows - written.length} of the rows to write to are not there`)
      }
    },
    rows
  )

/**
 * Which of several guarded writes of one statement took effect, where nearly always all do. It may wait: where one took
 * none, the transaction is begun again and told which. `all` is what is said of all.
 */
export const takenOf = <Row, A>(
  all: ReadonlyArray<A>,
  statement: Statement<Row>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> =>
  answered(statement, (rows) => (rows.length === all.length ? all : rows.map(read)), all.length)

/** A write that nothing is asked of. It may wait for the next answer. */
export const done = (statement: Statement<unknown>): Effect.Effect<void> =>
  answered(statement, nothing, "any")

/** No row, without a statement. */
export const none: Effect.Effect<ReadonlyArray<never>> = Effect.succeed([])
