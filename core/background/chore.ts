/**
 * Work that is never urgent, done by the batch: each batch commits on its own, a full one is followed by
 * the next at once, and a chore that fails holds up no other.
 */
import { Cause, Effect } from "effect"

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
        : Effect.logWarning(`${name} failed and will be retried`, cause)
    )
  )
