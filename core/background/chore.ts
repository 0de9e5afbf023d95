/**
 * Work that is never urgent, done by the batch: a chore commits batch by batch, and what is overdue expires row by
 * row. A full batch is followed by the next at once, and what fails holds up nothing else.
 */
import { Cause, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { logFailure } from "./outage.ts"

/** The most rows that one transaction touches. */
export const maxRows = 1000

export interface Chore<R> {
  /** What goes on: `Forgetting sessions`. */
  readonly name: string
  /** Does at most so much of it, and says how much. */
  readonly batch: (max: number) => Effect.Effect<number, never, R>
}

/** Does a chore until a batch was not full; what goes wrong is logged, and is tried again next time. */
export const finish = <R>({ batch, name }: Chore<R>): Effect.Effect<void, never, R> =>
  Effect.suspend(() => batch(maxRows)).pipe(
    Effect.repeat({ while: (rows) => rows >= maxRows }),
    Effect.asVoid,
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : logFailure(`${name} failed and will be retried`, cause)
    )
  )

/** How many are looked up at once. */
export const maxAtOnce = 1000

/** How overdue rows are taken into transactions. */
export interface Shares {
  /** So many rows are in one transaction. */
  readonly rows: number
  /** So many transactions are at it at once: while the database is at one, the rules are at another. */
  readonly atOnce: number
}

const sumOf = (counts: ReadonlyArray<number>) => counts.reduce((sum, count) => sum + count, 0)

const chunksOf = (ids: ReadonlyArray<string>, size: number) =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) =>
    ids.slice(at * size, (at + 1) * size)
  )

/**
 * How many were expired. `some` says how many of those it was given were; it is given a share at most, and where
 * that fails each by itself. What fails then is logged and left for the next turn.
 */
export const expireAll = Effect.fnUntraced(function* <E, R, R2>(
  name: string,
  overdue: Effect.Effect<ReadonlyArray<string>, never, R2>,
  some: (ids: ReadonlyArray<string>) => Effect.Effect<number, E, R>,
  { atOnce, rows }: Shares
) {
  const { run } = yield* Atomically
  const tried = (ids: ReadonlyArray<string>): Effect.Effect<number, E, R> =>
    Effect.catchCause(run(some(ids)), (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      return ids.length > 1
        ? Effect.map(
            Effect.forEach(ids, (id) => tried([id])),
            sumOf
          )
        : Effect.as(logFailure(`${name} failed and will be retried`, cause), 0)
    })
  let total = 0
  let isFull = true
  while (isFull) {
    const due = yield* overdue
    const counts = yield* Effect.forEach(chunksOf(due, rows), tried, { concurrency: atOnce })
    const expired = sumOf(counts)
    total += expired
    // A full batch that came to nothing would only be read again.
    isFull = due.length === maxAtOnce && expired > 0
  }
  return total
})
