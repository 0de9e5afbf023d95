/**
 * Loads in the background, once a service stands, what it must have at hand: what stops it in an emergency, and what
 * checks signatures. By the time they are needed the files of its version may be gone.
 */
import { Effect } from "effect"
import { curve } from "../../adapters/loading/curve.ts"

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The curve of signatures, and these. */
export const loadAhead = (parts: ReadonlyArray<() => Promise<unknown>>) =>
  Effect.forEach(
    [curve.get, ...parts],
    (load) =>
      Effect.catch(Effect.tryPromise({ try: load, catch: reasonOf }), (reason) =>
        Effect.logWarning(
          `A part of this program cannot be loaded: ${reason}. Start it again from a folder that is whole.`
        )
      ),
    { discard: true }
  )
