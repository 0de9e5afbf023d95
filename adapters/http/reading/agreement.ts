/**
 * Whether a field said twice names the same thing both times. A payment request has an id and a public id, and
 * a caller may send either in the path and the other beside it.
 */
import { Effect } from "effect"
import type { Facts as Caller } from "../../../core/operation/caller.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { rateLimited } from "../../../core/operation/rate-limit.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"

/** The field that takes either. */
const either = "idOrPid"

const agreed = Effect.fnUntraced(function* (
  caller: Caller,
  { scope }: Pick<Operation.Any, "scope">,
  inPath: string,
  again: string
) {
  // Refused for its scope in a moment, whatever it names.
  if (!caller.scopes.has(scope)) return true
  const allowance = yield* (yield* RateLimits).consume(caller.keyId, "reads")
  if (!allowance.allowed) {
    const what = `Rate limit reached: ${allowance.limit} reads per minute for this key.`
    return yield* rateLimited("reads", allowance, what)
  }
  const requests = yield* PaymentRequests
  const one = yield* requests.find(caller.accountId, inPath)
  return one !== undefined && (one.id === again || one.pid === again)
})

const never = Effect.succeed(false)

/** To be asked of values that differ. Each look counts against the reads of the key. */
export const namesTheSame =
  (caller: Caller, operation: Pick<Operation.Any, "scope">) =>
  (field: string, inPath: string | undefined, again: unknown) =>
    field !== either || inPath === undefined || typeof again !== "string"
      ? never
      : agreed(caller, operation, inPath, again)
