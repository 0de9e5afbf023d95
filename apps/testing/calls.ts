/** The operations as promises, for test suites in any style: a refusal is a rejection with its code. */
import type { Effect } from "effect"
import type { Facts as CallerFacts } from "../../core/operation/caller.ts"
import type * as Operation from "../../core/operation/operation.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import type { Operations } from "../../core/treasury/operations.ts"
import { type CallOptions, callsOf, type Needs } from "../../core/treasury/treasury.ts"

/** One function per operation: JSON in, JSON out; rejects with the refusal. */
export type PromiseCalls = {
  readonly [Op in Operations[number] as Op["name"]]: (
    input: Operation.Input<Op>,
    options?: CallOptions
  ) => Promise<Operation.Output<Op>>
}

type AnyCall = (input: never, options?: CallOptions) => Effect.Effect<unknown, Refusal, Needs>

type Run = <A, E>(effect: Effect.Effect<A, E, Needs>) => Promise<A>

export const promisesOf = (caller: CallerFacts, run: Run): PromiseCalls =>
  // Every entry is one of `Calls`, run; the mapped type says which input belongs to which.
  Object.fromEntries(
    Object.entries<AnyCall>(callsOf(caller)).map(([name, call]) => [
      name,
      (input: never, options?: CallOptions) => run(call(input, options))
    ])
  ) as unknown as PromiseCalls
