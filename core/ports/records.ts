/**
 * What may be wrong with the records as a whole: they take no writes, or they do not answer. An adapter puts it below
 * an error of its own, as its cause, so that nobody here needs to know which database it is.
 */
import { Cause, Data, Effect } from "effect"

/** Their disk is full, or they are kept from being changed: nothing of what was to be written was. */
export class RecordsReadOnly extends Data.TaggedError("RecordsReadOnly")<{
  readonly message: string
  readonly cause: unknown
}> {}

/** Nobody answers, or not yet again. What was on its way may have been written. */
export class RecordsAway extends Data.TaggedError("RecordsAway")<{
  readonly message: string
  readonly cause: unknown
}> {}

export type Outage = RecordsReadOnly | RecordsAway

const maxCauses = 5

const below = (error: unknown, left = maxCauses): Outage | undefined => {
  if (error instanceof RecordsReadOnly || error instanceof RecordsAway) return error
  return error instanceof Error && left > 0 ? below(error.cause, left - 1) : undefined
}

/** The outage that something failed for, if it did for one. */
export const outageOf = (cause: Cause.Cause<unknown>): Outage | undefined => {
  for (const reason of cause.reasons) {
    const found = Cause.isDieReason(reason) ? below(reason.defect) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Leaves out a note that what only reads can do without, where nothing may be written. */
export const whereWritable = <A, E, R>(note: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.catchCause(Effect.asVoid(note), (cause) =>
    outageOf(cause)?._tag === "RecordsReadOnly" ? Effect.void : Effect.failCause(cause)
  )
