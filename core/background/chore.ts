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
export const maxAtOnce = 100

/** How many are at it at once: each waits for the database most of its time, and leaves it to others. */
const concurrency = 4

/** How many were expired. `one` says whether it was; what fails is logged and left for the next turn. */
export const expireAll = Effect.fnUntraced(function* <E, R, R2>(
  name: string,
  overdue: Effect.Effect<ReadonlyArray<string>, never, R2>,
  one: (id: string) => Effect.Effect<boolean, E, R>
) {
  const { run } = yield* Atomically
  const tried = (id: string) =>
    Effect.catchCause(run(one(id)), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(logFailure(`${name} failed and will be retried`, cause), false)
    )
  let total = 0
  let isFull = true
  while (isFull) {
    const due = yield* overdue
    const expired = (yield* Effect.forEach(due, tried, { concurrency })).filter(Boolean).length
    total += expired
    // A full batch that came to nothing would only be read again.
    isFull = due.length === maxAtOnce && expired > 0
  }
  return total
})
