/**
 * The treasury as functions, for programs that embed it: one per operation, named as its tool. They go
 * through `invoke` like every surface, so scopes, limits and idempotency hold here too.
 */
import { Effect } from "effect"
import type { Facts as CallerFacts } from "../operation/caller.ts"
import { type Needs as InvokeNeeds, invoke } from "../operation/invoke.ts"
import type * as Operation from "../operation/operation.ts"
import type { Refusal } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { type Needs as OperationNeeds, type Operations, operations } from "./operations.ts"

/** Everything the catalogue needs to run. */
export type Needs = InvokeNeeds | OperationNeeds

export interface CallOptions {
  readonly idempotencyKey?: string
}

/** One operation as a function: JSON in, JSON out, a refusal as its failure. */
export type Call<Op extends Operation.Any> = (
  input: Operation.Input<Op>,
  options?: CallOptions
) => Effect.Effect<Operation.Output<Op>, Refusal, Needs>

export type Calls = { readonly [Op in Operations[number] as Op["name"]]: Call<Op> }

const callOf =
  (operation: Operations[number], caller: CallerFacts) =>
  (input: unknown, options: CallOptions = {}) =>
    Effect.gen(function* () {
      const requestId = `req_${yield* (yield* Ids).base62(16)}`
      const answer = yield* invoke(operation, { caller, input, requestId, ...options })
      return answer.ok ? answer.output : yield* Effect.fail(answer.refusal)
    })

/** Every operation as a function of one caller. */
export const callsOf = (caller: CallerFacts): Calls =>
  // The record has one entry per operation; the mapped type says which input belongs to which.
  Object.fromEntries(
    operations.map((operation) => [operation.name, callOf(operation, caller)])
  ) as unknown as Calls
