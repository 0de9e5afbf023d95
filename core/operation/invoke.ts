/**
 * The one way in. Every surface hands over who asks, what for and the raw input, and prints what comes
 * back: rate limit, scope and role, decoding, idempotency, the work in one transaction, encoding, in this order.
 */
import { Cause, Context, Effect, Exit, type Schema } from "effect"
import { note } from "../background/outage.ts"
import { Atomically } from "../ports/atomically.ts"
import type { Ids } from "../ports/ids.ts"
import { outageOf } from "../ports/records.ts"
import type { Secrets } from "../ports/secrets.ts"
import { Caller, type Facts as CallerFacts } from "./caller.ts"
import { Catalogue } from "./catalogue.ts"
import type { Deployment } from "./deployment.ts"
import { once } from "./idempotency.ts"
import { Idempotency } from "./idempotency-store.ts"
import * as Input from "./input.ts"
import type { InvocationResult } from "./invocation-result.ts"
import * as Next from "./invocation-result.ts"
import * as Meter from "./metrics.ts"
import type * as Operation from "./operation.ts"
import { type Allowance, rateLimited } from "./rate-limit.ts"
import { RateLimits } from "./rate-limits.ts"
import {
  DatabaseReadOnly,
  InsufficientScope,
  Internal,
  InvalidRequest,
  type Refusal,
  withOutcome
} from "./refusal.ts"
import { roleRefusal } from "./role.ts"
import * as Spans from "./spans.ts"
import { watched } from "./taking-authority.ts"

export interface Invocation {
  readonly caller: CallerFacts
  /** The input as JSON has it, nothing checked yet. */
  readonly input: unknown
  /** 1 to 255 printable ASCII characters; writes only. */
  readonly idempotencyKey?: string
  /** Quoted in logs and answers. */
  readonly requestId: string
}

/** What `invoke` needs beside what the operation needs. */
export type Needs = RateLimits | Atomically | Idempotency | Secrets | Ids | Deployment | Catalogue

/** A header would lose a space at either end. */
const printable = /^(?! )[\x20-\x7e]{1,255}(?<! )$/u

export const isIdempotencyKey = (key: string): boolean => printable.test(key)

/** The caller as the operation sees it: with the call it is in. */
const callerOf = ({ name }: Operation.Any, { caller, idempotencyKey }: Invocation): CallerFacts =>
  idempotencyKey === undefined ? caller : { ...caller, call: { operation: name, idempotencyKey } }

const overLimit = ({ rateLimit }: Operation.Any, allowance: Allowance) =>
  rateLimited(
    rateLimit,
    allowance,
    `Rate limit reached: ${allowance.limit} ${rateLimit} per minute for this key.`
  )

const missingScope = (operation: Operation.Any, caller: CallerFacts) =>
  new InsufficientScope({
    message: `${operation.name} needs the scope ${operation.scope}; use a key that has it.`,
    details: { scope: operation.scope, granted: [...caller.scopes] }
  })

const keyRefusal = (operation: Operation.Any, key: string | undefined) => {
  if (key === undefined) return undefined
  if (operation.sideEffect === "read") {
    return new InvalidRequest({
      param: "idempotencyKey",
      message: `${operation.name} only reads data; omit the idempotency key.`
    })
  }
  return isIdempotencyKey(key)
    ? undefined
    : new InvalidRequest({
        param: "idempotencyKey",
        message:
          "The idempotency key must be 1 to 255 printable ASCII characters, with no space at either end."
      })
}

type Done = Pick<Extract<InvocationResult, { readonly ok: true }>, "output" | "replayed">

const fresh = (output: Schema.JsonObject): Done => ({ output, replayed: false })

/** Nothing is found out beforehand about a call of most operations, and nothing granted. */
const nothing: Effect.Effect<undefined> = Effect.undefined

/** A read is its work and nothing else, and no work where its answer is at hand. */
const reading = (
  context: Context.Context<never>,
  operation: Operation.Any,
  { caller }: Invocation,
  input: unknown
) => {
  const { atHand, handle, prepare } = operation
  const known = atHand?.(input, caller, context)
  if (known !== undefined) return Effect.mapEager(Input.encode(operation, known), fresh)
  const output =
    prepare === undefined
      ? handle(input, undefined, undefined)
      : Effect.flatMap(prepare(input), (seen) => handle(input, seen, undefined))
  return Effect.flatMap(output, (value) => Effect.mapEager(Input.encode(operation, value), fresh))
}

const writing = Effect.fnUntraced(function* (
  operation: Operation.Any,
  { caller, idempotencyKey }: Invocation,
  input: unknown
) {
  const { begin, told } = yield* watched(operation.name)
  const look = operation.prepare?.(input) ?? nothing
  const authorize = (replayed?: Schema.JsonObject, seen?: unknown) =>
    operation.authority?.(input, replayed, seen) ?? nothing
  const work = Effect.fnUntraced(function* (seen: unknown) {
    yield* begin
    // The role the caller came with was read before this transaction, and may have been taken from them since.
    yield* caller.person?.holdRole(operation.role) ?? nothing
    const granted = yield* authorize(undefined, seen)
    return yield* Input.encode(operation, yield* operation.handle(input, seen, granted))
  })
  const atomically = yield* Atomically
  const whole = Effect.flatMap(look, (seen) => atomically.run(work(seen)))
  const done =
    idempotencyKey === undefined
      ? fresh(yield* whole)
      : yield* once(operation, caller, idempotencyKey, input, { look, work, authorize })
  const later = yield* operation.respond?.(input, done.output, done.replayed) ?? nothing
  if (later !== undefined) {
    return { ...done, output: { ...(yield* Input.encode(operation, later)), ...(yield* told) } }
  }
  const since = done.replayed ? yield* operation.sinceThen?.(done.output) ?? nothing : undefined
  return { ...done, output: { ...done.output, ...since, ...(yield* told) } }
})

const perform = (
  context: Context.Context<never>,
  operation: Operation.Any,
  invocation: Invocation
) => {
  const unusable = keyRefusal(operation, invocation.idempotencyKey)
  if (unusable !== undefined) return Effect.fail(unusable)
  const isRead = operation.sideEffect === "read"
  return Effect.flatMapEager(Input.decode(operation, invocation.input), (input) =>
    isRead ? reading(context, operation, invocation, input) : writing(operation, invocation, input)
  )
}

/** Whether something was, or is, done under the key of this call; records that do not answer may hold anything. */
const isTaken = Effect.fnUntraced(function* (operation: Operation.Any, invocation: Invocation) {
  const { caller, idempotencyKey: key } = invocation
  if (key === undefined || keyRefusal(operation, key) !== undefined) return false
  const slot = { accountId: caller.accountId, operation: operation.name, key }
  return yield* Effect.catchDefect((yield* Idempotency).isTaken(slot), () => Effect.succeed(true))
})

/** A refusal says `not_executed` only where nothing stands under the key that came with the call. */
const refused = Effect.fnUntraced(function* (
  operation: Operation.Any,
  invocation: Invocation,
  refusal: Refusal
) {
  const isSettled = refusal.outcome !== undefined && refusal.outcome !== "not_executed"
  const mayStand = !isSettled && (yield* isTaken(operation, invocation))
  return { ok: false as const, refusal: mayStand ? withOutcome(refusal, "unknown") : refusal }
})

const advice = {
  money: "read the proposal before you retry.",
  taken: "repeat the call unchanged, with the same idempotency key, to learn the result.",
  nothing: "nothing was changed, and it is safe to retry."
}

const fault = Effect.fnUntraced(function* (
  operation: Operation.Any,
  invocation: Invocation,
  cause: Cause.Cause<unknown>
) {
  const { idempotencyKey, requestId } = invocation
  const outage = outageOf(cause)
  const isReadOnly = outage?._tag === "RecordsReadOnly"
  yield* isReadOnly
    ? note(outage)
    : Effect.annotateLogs(
        outage === undefined
          ? Effect.logError(`${operation.name} failed`, cause)
          : Effect.logError(`${operation.name} failed: ${outage.message}`),
        { requestId }
      )
  // What was not written took its answer with it, so that the key of the call says it for money too.
  const isSure = isReadOnly && idempotencyKey !== undefined
  const isMoney = operation.sideEffect === "money" && !isSure
  const known = isMoney ? "money" : (yield* isTaken(operation, invocation)) ? "taken" : "nothing"
  const outcome = known === "nothing" ? ("not_executed" as const) : ("unknown" as const)
  const refusal: Refusal = isReadOnly
    ? new DatabaseReadOnly({
        message: `The treasury's database takes no writes at present, most often because its disk is full; ${advice[known]}`,
        outcome
      })
    : new Internal({
        message: `Internal error. Quote request ${requestId}; ${advice[known]}`,
        outcome
      })
  return { ok: false as const, refusal }
})

const outcomeOf = (answer: InvocationResult): string =>
  answer.ok ? (answer.replayed ? "replayed" : "ok") : answer.refusal._tag

/** The calls that the rate limit, the scope or a person's role forbid, before anything is read of them. */
const refusalOf = (operation: Operation.Any, caller: CallerFacts, allowance: Allowance) => {
  if (!allowance.allowed) return overLimit(operation, allowance)
  if (!caller.scopes.has(operation.scope)) return missingScope(operation, caller)
  return caller.person === undefined ? undefined : roleRefusal(caller.person.role, operation.role)
}

const settled = (operation: Operation.Any, invocation: Invocation, cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const failure = cause.reasons.find(Cause.isFailReason)
  return failure === undefined
    ? fault(operation, invocation, cause)
    : refused(operation, invocation, failure.error as Refusal)
}

/** What is performed for its caller. What fails before it waits for anything has failed all the same. */
const performed = (
  context: Context.Context<never>,
  operation: Operation.Any,
  invocation: Invocation
) => {
  try {
    const done = perform(context, operation, invocation)
    return Exit.isExit(done)
      ? done
      : Effect.provideService(done, Caller, callerOf(operation, invocation))
  } catch (defect) {
    return Exit.die(defect)
  }
}

const allowed = (
  context: Context.Context<never>,
  operation: Operation.Any,
  invocation: Invocation,
  allowance: Allowance
) => {
  // Before the scope is looked at: no call is free, and a refused one least of all.
  const refusal = refusalOf(operation, invocation.caller, allowance)
  return refusal === undefined
    ? Effect.matchCauseEffectEager(performed(context, operation, invocation), {
        onSuccess: ({ output, replayed }) =>
          Effect.succeed({ ok: true as const, output, replayed, allowance }),
        onFailure: (cause) =>
          Effect.map(settled(operation, invocation, cause), (told) => ({ ...told, allowance }))
      })
    : Effect.map(refused(operation, invocation, refusal), (told) => ({ ...told, allowance }))
}

/**
 * Runs one operation for one caller, in a context that is at hand. Never fails: what went wrong is a refusal in the
 * answer.
 */
export const invokeIn = <const Op extends Operation.Any>(
  context: Context.Context<Needs | Operation.Needs<Op>>,
  operation: Op,
  invocation: Invocation
): Effect.Effect<InvocationResult, never, Needs | Operation.Needs<Op>> => {
  const { keyId, scopes } = invocation.caller
  const count = Meter.begin(context, operation.name)
  const limits = Context.get(context, RateLimits)
  const allowing = (allowance: Allowance) => allowed(context, operation, invocation, allowance)
  const drawn = limits.atHand?.(keyId, operation.rateLimit, Meter.nowIn(context))
  const running =
    drawn === undefined
      ? Effect.flatMap(limits.consume(keyId, operation.rateLimit), allowing)
      : allowing(drawn)
  const told = Effect.mapEager(running, (answer) => {
    count(outcomeOf(answer))
    return answer.ok ? answer : Next.forCaller(Context.get(context, Catalogue), answer, scopes)
  })
  // The walk over `Any` loses what the operation needs; its own type says it.
  return Spans.inSpanWhere(context, operation.name, told) as Effect.Effect<
    InvocationResult,
    never,
    Needs | Operation.Needs<Op>
  >
}

/** The same in the context that it is run in. */
export const invoke = <const Op extends Operation.Any>(
  operation: Op,
  invocation: Invocation
): Effect.Effect<InvocationResult, never, Needs | Operation.Needs<Op>> =>
  Effect.contextWith((context: Context.Context<Needs | Operation.Needs<Op>>) =>
    invokeIn(context, operation, invocation)
  )
