/** What a question to a service elsewhere fails with, told in the words of a port; a mistake of our own is told by none. */
import { Effect, Predicate } from "effect"

/** Whether a program went wrong, and not what it spoke to: what networks and texts fail with has a code or a cause. */
const isOwnMistake = (thrown: unknown): boolean =>
  (thrown instanceof TypeError || thrown instanceof ReferenceError) &&
  thrown.cause === undefined &&
  !Predicate.hasProperty(thrown, "code")

/** Tells what was thrown as a failure; dies with a mistake of our own, so that nobody looks for it elsewhere. */
export const telling =
  <E>(told: (thrown: unknown) => E) =>
  <A, R>(asked: Effect.Effect<A, unknown, R>): Effect.Effect<A, E, R> =>
    Effect.catch(asked, (thrown) =>
      isOwnMistake(thrown) ? Effect.die(thrown) : Effect.fail(told(thrown))
    )
