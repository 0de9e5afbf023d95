/** Expires what is overdue, each in a transaction of its own, and goes on at once while there is more. */
import { Cause, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"

/** How many are looked up at once. */
export const maxAtOnce = 100

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
        : Effect.as(Effect.logWarning(`${name} failed and will be retried`, cause), false)
    )
  let total = 0
  let isFull = true
  while (isFull) {
    const due = yield* overdue
    const expired = (yield* Effect.forEach(due, tried)).filter(Boolean).length
    total += expired
    // A full batch that came to nothing would only be read again.
    isFull = due.length === maxAtOnce && expired > 0
  }
  return total
})
