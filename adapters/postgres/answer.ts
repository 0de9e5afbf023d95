/**
 * What a store makes of a statement's rows. A statement that fails is a fault of ours or of the database,
 * never of the caller, so it is a defect.
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Defect from "./defect.ts"
import * as ReadOnce from "./read-once.ts"
import { MayWait } from "./session.ts"

type Statement<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError>

export const all = <Row, A>(
  statement: Statement<Row>,
  read: (row: Row) => A
): Effect.Effect<ReadonlyArray<A>> =>
  Defect.orDie(Effect.map(statement, (rows) => ReadOnce.each(rows, read)))

export const first = <Row, A>(
  statement: Statement<Row>,
  read: (row: Row) => A
): Effect.Effect<A | undefined> =>
  Defect.orDie(Effect.map(statement, ([row]) => (row === undefined ? undefined : read(row))))

/** The row of a statement that always gives one. */
export const only = <Row, A>(statement: Statement<Row>, read: (row: Row) => A): Effect.Effect<A> =>
  Defect.orDie(
    Effect.flatMap(statement, ([row]) =>
      row === undefined
        ? Effect.die(new Error("The statement gave no row"))
        : Effect.succeed(read(row))
    )
  )

/** How many rows it gave back. */
export const count = (statement: Statement<unknown>): Effect.Effect<number> =>
  Defect.orDie(Effect.map(statement, (rows) => rows.length))

/** Whether it gave back any row: a guarded write that took effect. */
export const any = (statement: Statement<unknown>): Effect.Effect<boolean> =>
  Effect.map(count(statement), (rows) => rows > 0)

/** A write to a row that must be there; one that is not is a fault of ours. It may wait for the next answer. */
export const written = (statement: Statement<unknown>): Effect.Effect<void> =>
  Effect.flatMap(count(Effect.provideService(statement, MayWait, 1)), (rows) =>
    rows > 0 ? Effect.void : Effect.die(new Error("The row to write to is not there"))
  )

/** A write to so many rows that must all be there. It may wait, too. */
export const writtenAll = (rows: number, statement: Statement<unknown>): Effect.Effect<void> =>
  Effect.flatMap(count(Effect.provideService(statement, MayWait, rows)), (written) =>
    written === rows
      ? Effect.void
      : Effect.die(new Error(`${rows - written} of the rows to write to are not there`))
  )

/** A write that nothing is asked of. It may wait for the next answer. */
export const done = (statement: Statement<unknown>): Effect.Effect<void> =>
  Defect.orDie(Effect.asVoid(Effect.provideService(statement, MayWait, "any")))

/** No row, without a statement. */
export const none: Effect.Effect<ReadonlyArray<never>> = Effect.succeed([])
