/** Rows of the caller's own account. A row of another account is refused like one that is not there. */
import { Effect } from "effect"
import { Caller } from "./caller.ts"
import { NotFound } from "./refusal.ts"

/** What has no such id: the field that names it, what it is called, and the operation that lists what there is. */
export interface Missing {
  readonly param: string
  readonly what: string
  readonly operation: string
}

export const noSuch = ({ operation, param, what }: Missing): NotFound =>
  new NotFound({
    param,
    message: `This account has no ${what} with this id; see ${operation}.`,
    next: { operation, args: {} }
  })

/** The row that was read; fails with `NotFound` when there is none. */
export const orNoSuch = <Row, Failure, Needs>(
  reading: Effect.Effect<Row | undefined, Failure, Needs>,
  missing: Missing
): Effect.Effect<Row, Failure | NotFound, Needs> =>
  Effect.flatMap(reading, (row) =>
    row === undefined ? Effect.fail(noSuch(missing)) : Effect.succeed(row)
  )

/** Reads a row of the caller's account; fails with `NotFound` when there is none. */
export const findOwn = <Row, Failure, Needs>(
  missing: Missing,
  read: (accountId: string) => Effect.Effect<Row | undefined, Failure, Needs>
): Effect.Effect<Row, Failure | NotFound, Needs | Caller> =>
  Effect.flatMap(Caller, ({ accountId }) => orNoSuch(read(accountId), missing))
