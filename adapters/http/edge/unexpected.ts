/**
 * What nobody foresaw, made opaque: the caller learns the request id and whether to look before trying
 * again; the cause goes to the log and nowhere else.
 */
import { Cause, Effect } from "effect"
import { Internal, type Outcome, type Refusal } from "../../../core/operation/refusal.ts"
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

const failedEarly = (cause: Cause.Cause<unknown>) =>
  Effect.gen(function* () {
    const requestId = yield* RequestId
    yield* Effect.annotateLogs(Effect.logError("A request failed before its operation", cause), {
      requestId
    })
    return yield* internal(requestId, "not_executed")
  })

/** Wraps what runs before any operation: whatever goes wrong in there, nothing happened. */
export const nothingHappened = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Internal, R | RequestId> =>
  Effect.catchCause(
    work,
    (cause): Effect.Effect<never, E | Internal, RequestId> =>
      Cause.hasDies(cause) ? failedEarly(cause) : Effect.failCause(cause)
  )
