/** Calls any operation of the catalogue; what it needs is what the whole catalogue needs. */
import type { Context, Effect } from "effect"
import type { Keys } from "../../core/accounts/account-store.ts"
import type { InvocationResult } from "../../core/operation/invocation-result.ts"
import {
  type Invocation,
  type Needs as InvokeNeeds,
  invokeIn
} from "../../core/operation/invoke.ts"
import type * as Operation from "../../core/operation/operation.ts"
import type { Needs as OperationNeeds } from "../../core/treasury/operations.ts"

/** What a surface over the whole catalogue needs, authentication included. */
export type Needs = InvokeNeeds | OperationNeeds | Keys

export const call = (
  context: Context.Context<Needs>,
  operation: Operation.Any,
  invocation: Invocation
  // An operation found by its route or name has lost its own needs; they are among the catalogue's.
): Effect.Effect<InvocationResult, never, Needs> => invokeIn(context, operation, invocation)
