/**
 * What a caller must be allowed besides the scope. Every write declares it, so that a caller who repeats
 * another's idempotency key is checked against their own permissions.
 */
import { Effect, type Schema } from "effect"
import type * as Refusal from "./refusal.ts"

/**
 * What of the caller and its key must be right for this input, beside the scope: restrictions, a pause, whose
 * challenge it is. It is judged first in the transaction of `run`, which is handed what it found. It is judged
 * again, and nothing else is, before another key of the account is given a stored answer, which is handed over. What
 * `prepare` saw is handed over in the transaction of `run`, to ask ahead by; nothing is allowed for its sake.
 */
export type Authority<
  Input extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs,
  Granted
> = (
  input: Schema.Struct<Input>["Type"],
  replayed: Schema.JsonObject | undefined,
  seen?: unknown
) => Effect.Effect<
  Granted,
  InstanceType<Refusals[number]> | Refusal.InvalidRequest | Refusal.Unauthenticated,
  Needs
>

/** For a write that every key with its scope may make: nothing else of a key bounds it. */
export const byScope = (): Effect.Effect<undefined> => Effect.undefined

/** What stands beside a replayed answer because it has changed since; undefined when nothing has. */
export type SinceThen<Needs> = (
  answer: Schema.JsonObject
) => Effect.Effect<Schema.JsonObject | undefined, never, Needs>
