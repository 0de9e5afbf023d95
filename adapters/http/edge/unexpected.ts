/**
 * What nobody foresaw, made opaque: the caller learns the request id and whether to look before trying
 * again; the cause goes to the log and nowhere else.
 */
import { Cause, Effect, Exit } from "effect"
import { note } from "../../../core/background/outage.ts"
import {
  DatabaseReadOnly,
  Internal,
  type Outcome,
  type Refusal
} from "../../../core/operation/refusal.ts"
import { outageOf } from "../../../core/ports/records.ts"
import { RequestId } from "./request-id.ts"

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && "kind" in error && "retryable" in error && "_tag" in error

const advice: Readonly<Record<Outcome, string>> = {
  not_executed: "Nothing was changed, and it is safe to retry.",
  executed: "It was executed.",
  unknown: "Check whether it was executed before you retry."
}

export const internal = (requestId: string, outcome: Outcome) =>
  new Internal({
    message: `Internal error. Quote request ${requestId}. ${advice[outcome]}`,
    outcome
  })

/** Logs a fault, and gives what its caller is told. That nothing can be written at present is nobody's fault, and no secret. */
export const refusalOf = (
  message: string,
  cause: Cause.Cause<unknown>,
  { outcome, requestId }: { readonly outcome: Outcome; readonly requestId: string }
): Effect.Effect<Internal | DatabaseReadOnly> => {
  const outage = outageOf(cause)
  return outage?._tag === "RecordsReadOnly"
    ? Effect.as(
        note(outage),
        new DatabaseReadOnly({
          message: `The treasury's database takes no writes at present, most often because its disk is full. ${advice[outcome]}`,
          outcome
        })
      )
    : Effect.logError(message, outage === undefined ? cause : outage.message).pipe(
        Effect.annotateLogs({ requestId }),
        Effect.as(internal(requestId, outcome))
      )
}

const failedEarly = (cause: Cause.Cause<unknown>) =>
  Effect.gen(function* () {
    const requestId = yield* RequestId
    const facts = { outcome: "not_executed" as const, requestId }
    return yield* yield* refusalOf("A request failed before its operation", cause, facts)
  })

/** What is thrown while something is begun is a defect of what was begun. */
export const begun = <A, E, R>(begin: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  try {
    return begin()
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * Begins what comes before any operation: whatever goes wrong in there, nothing happened. What is known as soon as it
 * is begun stays known.
 */
export const nothingHappened = <A, E, R>(
  begin: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Internal | DatabaseReadOnly, R | RequestId> => {
  const work = begun(begin)
  if (Exit.isExit(work) && Exit.isSuccess(work)) return work
  return Effect.catchCause(
    work,
    (cause): Effect.Effect<never, E | Internal | DatabaseReadOnly, RequestId> =>
      Cause.hasDies(cause) ? failedEarly(cause) : Effect.failCause(cause)
  )
}
