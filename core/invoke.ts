/**
 * The one way in. Every surface hands over who asks, what for and the raw input, and prints what comes
 * back: scope, rate limit, decoding, idempotency, the work in one transaction, encoding, in this order.
 */
import { Cause, Effect, type Schema } from "effect"
import { overspent } from "./budget.ts"
import { Caller, type Facts as CallerFacts } from "./caller.ts"
import type { Deployment } from "./deployment.ts"
import * as Input from "./input.ts"
import * as Meter from "./meter.ts"
import * as Next from "./next.ts"
import { once } from "./once.ts"
import type * as Operation from "./operation.ts"
import { Atomically } from "./ports/atomically.ts"
import type { Idempotency } from "./ports/idempotency.ts"
import type { Ids } from "./ports/ids.ts"
import { type Allowance, RateLimits } from "./ports/rate-limits.ts"
import type { Secrets } from "./ports/secrets.ts"
import { InsufficientScope, Internal, InvalidRequest, type Refusal } from "./refusal.ts"

export interface Invocation {
  readonly caller: CallerFacts
  /** The input as JSON has it, nothing checked yet. */
  readonly input: unknown
  /** 1 to 255 printable ASCII characters; writes only. */
  readonly idempotencyKey?: string
  /** Quoted in logs and answers. */
  readonly requestId: string
}

export type Answer =
  | {
      readonly ok: true
      readonly output: Schema.JsonObject
      readonly replayed: boolean
      readonly allowance: Allowance
    }
  | { readonly ok: false; readonly refusal: Refusal; readonly allowance?: Allowance }

/** What `invoke` needs beside what the operation needs. */
export type Needs = RateLimits | Atomically | Idempotency | Secrets | Ids | Deployment

const printable = /^[\x21-\x7e]{1,255}$/u

export const isIdempotencyKey = (key: string): boolean => printable.test(key)

const overBudget = ({ budget }: Operation.Any, allowance: Allowance) =>
  overspent(budget, allowance, `This key has spent its ${budget}: ${allowance.limit} a minute.`)

const missingScope = (operation: Operation.Any, caller: CallerFacts) =>
  new InsufficientScope({
    message: `${operation.name} needs the scope ${operation.scope}; use a key that carries it.`,
    details: { scope: operation.scope, granted: [...caller.scopes] }
  })

const keyRefusal = (operation: Operation.Any, key: string | undefined) => {
  if (key === undefined) return undefined
  if (operation.nature === "read") {
    return new InvalidRequest({
      param: "idempotencyKey",
      message: `${operation.name} only reads; leave the idempotency key out.`
    })
  }
  return isIdempotencyKey(key)
    ? undefined
    : new InvalidRequest({
        param: "idempotencyKey",
        message: "An idempotency key is 1 to 255 printable ASCII characters without spaces."
      })
}

const perform = Effect.fnUntraced(function* (operation: Operation.Any, invocation: Invocation) {
  const unusable = keyRefusal(operation, invocation.idempotencyKey)
  if (unusable !== undefined) return yield* unusable
  const input = yield* Input.decode(operation, invocation.input)
  const look = operation.beforehand?.(input) ?? Effect.undefined
  const work = (seen: unknown) =>
    Effect.flatMap(operation.run(input, seen), (output) => Input.encode(operation, output))
  if (operation.nature === "read") {
    return { output: yield* Effect.flatMap(look, work), replayed: false }
  }
  const atomically = yield* Atomically
  const whole = Effect.flatMap(look, (seen) => atomically.run(work(seen)))
  const done =
    invocation.idempotencyKey === undefined
      ? { output: yield* whole, replayed: false }
      : yield* once(operation, invocation.caller, invocation.idempotencyKey, input, { look, work })
  const later = yield* operation.afterwards?.(input) ?? Effect.undefined
  return later === undefined ? done : { ...done, output: yield* Input.encode(operation, later) }
})

const fault = (operation: Operation.Any, requestId: string, cause: Cause.Cause<unknown>) =>
  Effect.as(
    Effect.logError(`${operation.name} failed`, cause).pipe(Effect.annotateLogs({ requestId })),
    new Internal({
      message: `Something failed on our side. Quote request ${requestId}; ${
        operation.nature === "money"
          ? "read the proposal before you try again."
          : "nothing was changed, and trying again is safe."
      }`,
      outcome: operation.nature === "money" ? "unknown" : "not_executed"
    })
  )

const outcomeOf = (answer: Answer): string =>
  answer.ok ? (answer.replayed ? "replayed" : "ok") : answer.refusal._tag

/** Runs one operation for one caller. Never fails: what went wrong is a refusal in the answer. */
export const invoke = <const Op extends Operation.Any>(
  operation: Op,
  invocation: Invocation
): Effect.Effect<Answer, never, Needs | Operation.Needs<Op>> => {
  const running = Effect.gen(function* () {
    const { caller } = invocation
    if (!caller.scopes.has(operation.scope)) {
      return { ok: false as const, refusal: missingScope(operation, caller) as Refusal }
    }
    const allowance = yield* (yield* RateLimits).draw(caller.keyId, operation.budget)
    if (!allowance.allowed) {
      return { ok: false as const, refusal: overBudget(operation, allowance) as Refusal, allowance }
    }
    return yield* perform(operation, invocation).pipe(
      Effect.matchCauseEffect({
        onSuccess: (done) => Effect.succeed({ ok: true as const, ...done, allowance }),
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          const failure = cause.reasons.find(Cause.isFailReason)
          return failure === undefined
            ? Effect.map(fault(operation, invocation.requestId, cause), (refusal) => ({
                ok: false as const,
                refusal: refusal as Refusal,
                allowance
              }))
            : Effect.succeed({ ok: false as const, refusal: failure.error as Refusal, allowance })
        }
      })
    )
  })
  const told = Effect.map(running, (answer) => Next.forCaller(answer, invocation.caller.scopes))
  const counted = Meter.measured(operation.name, outcomeOf, told)
  // The walk over `Any` loses what the operation needs; its own type says it.
  return Effect.provideService(counted, Caller, invocation.caller) as Effect.Effect<
    Answer,
    never,
    Needs | Operation.Needs<Op>
  >
}
