/** Calls an operation that only people do in the name of the installation's operator, on one account. */
import { Effect } from "effect"
import { noSuchAccount } from "../../../core/accounts/account.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Caller } from "../../../core/operation/caller.ts"
import * as Input from "../../../core/operation/input.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { operatorOf } from "../../../core/people/authority.ts"

/** What comes of it, as the operation's output fields say. Call it inside a transaction. */
export const asOperator = Effect.fnUntraced(function* <const Op extends Operation.Any>(
  operation: Op,
  accountId: string,
  input: Operation.Input<Op>
) {
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return yield* noSuchAccount()
  const decoded = yield* Input.decode(operation, input)
  const done = Effect.andThen(operation.authority?.(decoded, undefined) ?? Effect.void, () =>
    operation.handle(decoded, undefined, undefined)
  )
  // The walk over `Any` loses what the operation needs and how it refuses; its own type says it.
  return yield* Effect.provideService(done, Caller, operatorOf(accountId)) as Effect.Effect<
    Op["output"]["Type"],
    InstanceType<Op["refusals"][number]>,
    Operation.Needs<Op>
  >
})
