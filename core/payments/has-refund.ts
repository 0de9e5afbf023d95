/**
 * Whether any of a transfer goes back or has gone back. Such money is never credited to a request any more;
 * ask with the transfer locked, since a refund claims it under the same lock.
 */
import { Effect } from "effect"
import { Refunds } from "./refund-ledger.ts"

export const hasRefund = Effect.fnUntraced(function* (transferId: string) {
  return (yield* (yield* Refunds).ofTransfers([transferId])).length > 0
})
