/**
 * How the treasury says no. A refusal is a typed failure with a public code that is never renamed,
 * a transport-free kind, one sentence that says what to do, and whether anything happened.
 */
import { type Cause, Data } from "effect"

/** What sort of no it is; a surface maps it to its own status. */
export type Kind =
  | "invalid"
  | "unauthenticated"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "mismatch"
  | "limited"
  | "unavailable"
  | "internal"

/**
 * Whether the refused call changed anything: `unknown` when money may have moved, or when an earlier call
 * under the same idempotency key may have.
 */
export type Outcome = "not_executed" | "executed" | "unknown"

/** A call that helps, and that the caller's key may make. */
export interface Next {
  readonly operation: string
  readonly args: Readonly<Record<string, unknown>>
  /** The fields the caller adds to `args`, because only it knows them. */
  readonly missing?: ReadonlyArray<string>
}

/** The facts a refusal carries beside its code. */
export interface Facts {
  readonly message: string
  readonly param?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly outcome?: Outcome
  readonly next?: Next
}

/** One refusal class: what the manual prints of it and what the surfaces read from it. */
export interface Class<Code extends string = string> {
  new (facts: Facts): Refusal<Code>
  readonly code: Code
  readonly kind: Kind
  readonly meaning: string
  readonly retryable: boolean
}

export interface Refusal<Code extends string = string>
  extends Cause.YieldableError,
    Omit<Facts, "message"> {
  readonly _tag: Code
  readonly kind: Kind
  readonly retryable: boolean
}

type Varied = Pick<Facts, "next" | "outcome">

/**
 * How many callers a refusal remembers. A refusal is an answer: where it was made is of no use to anybody who
 * gets it, and finding out costs more than all the rest. Only a test that asks for it raises this.
 */
export const remembering = { callers: 0 }

/** The same refusal with other facts. */
const varied = (
  refusal: Refusal,
  { next, outcome }: { [Name in keyof Varied]-?: Varied[Name] | undefined }
) => {
  const { details, message, param } = refusal
  const other = new (refusal.constructor as Class)({
    message,
    ...(param === undefined ? {} : { param }),
    ...(details === undefined ? {} : { details }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(next === undefined ? {} : { next })
  })
  return remembering.callers === 0 ? other : Object.assign(other, { stack: refusal.stack })
}

/** The same refusal with another next call or with none. */
export const withNext = (refusal: Refusal, next: Next | undefined): Refusal =>
  varied(refusal, { outcome: refusal.outcome, next })

/** The same refusal with another outcome. */
export const withOutcome = (refusal: Refusal, outcome: Outcome): Refusal =>
  varied(refusal, { outcome, next: refusal.next })

/** V8 asks here how many callers an error remembers. */
const engine = Error as { stackTraceLimit?: number | undefined }

/** Declares a refusal: `class X extends Refusal.define("CODE", { kind, meaning }) {}`. */
export const define = <const Code extends string>(
  code: Code,
  definition: { readonly kind: Kind; readonly meaning: string; readonly retryable?: boolean }
): Class<Code> =>
  class extends Data.TaggedError(code)<Facts> {
    static readonly code = code
    static readonly kind = definition.kind
    static readonly meaning = definition.meaning
    static readonly retryable = definition.retryable ?? false
    readonly kind = definition.kind
    readonly retryable = definition.retryable ?? false
    constructor(facts: Facts) {
      const { stackTraceLimit } = engine
      engine.stackTraceLimit = remembering.callers
      super(facts)
      engine.stackTraceLimit = stackTraceLimit
    }
  }

export class InvalidRequest extends define("INVALID_REQUEST", {
  kind: "invalid",
  meaning: "A field is missing, malformed or out of range; `param` names the field."
}) {}

export class UnknownField extends define("UNKNOWN_FIELD", {
  kind: "invalid",
  meaning:
    "The input has an unknown field; `param` names it and `details.known` lists the allowed ones."
}) {}

export class InvalidAmount extends define("INVALID_AMOUNT", {
  kind: "invalid",
  meaning: "An amount is not a plain decimal or integer string, or is out of range."
}) {}

export class InvalidAddress extends define("INVALID_ADDRESS", {
  kind: "invalid",
  meaning: "The address is malformed, has a wrong checksum, or is not allowed as a recipient."
}) {}

export class UnsupportedChain extends define("UNSUPPORTED_CHAIN", {
  kind: "invalid",
  meaning: "The chain is unknown or not connected; `details.supported` lists the connected ones."
}) {}

export class Unauthenticated extends define("UNAUTHENTICATED", {
  kind: "unauthenticated",
  meaning: "The API key is missing, unknown, revoked, expired, or not allowed from this IP address."
}) {}

export class InsufficientScope extends define("INSUFFICIENT_SCOPE", {
  kind: "forbidden",
  meaning:
    "The API key lacks the scope in `details.scope`, or its restrictions do not allow this call."
}) {}

export class NotFound extends define("NOT_FOUND", {
  kind: "not_found",
  meaning: "The account has no object with this id."
}) {}

export class IdempotencyInProgress extends define("IDEMPOTENCY_IN_PROGRESS", {
  kind: "conflict",
  meaning:
    "A call with this idempotency key is still running; repeat it after `Retry-After` seconds.",
  retryable: true
}) {}

export class IdempotencyKeyReused extends define("IDEMPOTENCY_KEY_REUSED", {
  kind: "mismatch",
  meaning:
    "The idempotency key was already used with a different input; use a new key for a new call."
}) {}

export class RateLimited extends define("RATE_LIMITED", {
  kind: "limited",
  meaning: "The rate limit for this class of calls is reached; wait `Retry-After` seconds.",
  retryable: true
}) {}

export class UpstreamUnavailable extends define("UPSTREAM_UNAVAILABLE", {
  kind: "unavailable",
  meaning: "A service that this operation depends on does not respond; nothing was changed.",
  retryable: true
}) {}

export class DatabaseReadOnly extends define("DATABASE_READ_ONLY", {
  kind: "unavailable",
  meaning:
    "The treasury's database takes no writes at present, most often because its disk is full. Calls that only read are answered; `outcome` says whether anything may have happened.",
  retryable: true
}) {}

export class Internal extends define("INTERNAL", {
  kind: "internal",
  meaning:
    "An internal error. Quote the request id; `outcome` says whether anything may have happened.",
  retryable: true
}) {}

/** Refusals every operation may answer with, whatever it declares itself. */
export const universal = [
  InvalidRequest,
  UnknownField,
  Unauthenticated,
  InsufficientScope,
  RateLimited,
  IdempotencyInProgress,
  IdempotencyKeyReused,
  DatabaseReadOnly,
  Internal
] as const
