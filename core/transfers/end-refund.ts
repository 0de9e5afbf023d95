/**
 * Ends a refund's claim in the transaction that ends its proposal: given back when it failed, and counted
 * when the money is back. A deposit that is back in full is resolved by that, unless it was before.
 */
import { Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { Refunds } from "../payments/refund-ledger.ts"
import { isRefunded } from "../payments/refund-share.ts"
import { supersedeRefunds } from "../payments/supersede-refunds.ts"
import { isDeposit } from "../payments/transfer.ts"
import { Transfers } from "../payments/transfer-store.ts"

const resolve = Effect.fnUntraced(function* (accountId: string, transferId: string) {
  const transfers = yield* Transfers
  const transfer = yield* transfers.find(accountId, transferId)
  if (transfer === undefined || !isDeposit(transfer) || transfer.resolution !== null) return
  if (!isRefunded(transfer, yield* (yield* Refunds).ofTransfers([transferId]))) return
  const { candidatePids, method, settlementIssue } = transfer
  const resolution = "refunded" as const
  const assignment = { requestId: null, method, settlementIssue, candidatePids, resolution }
  yield* transfers.assign(transferId, assignment)
  yield* record({
    accountId,
    actor: system,
    action: "deposit.refunded",
    subjectType: "transfer",
    subjectId: transferId
  })
  yield* supersedeRefunds(accountId, [transferId], system)
})

export const endRefund = Effect.fnUntraced(function* (
  { accountId, id }: { readonly accountId: string; readonly id: string },
  isDone: boolean
) {
  const refunds = yield* Refunds
  if (!isDone) return yield* refunds.release(id)
  const shares = yield* refunds.ofProposal(id)
  const transferIds = shares.map(({ transferId }) => transferId).toSorted()
  // Before the shares are read, so that of two refunds that end at once the second sees both.
  for (const each of transferIds) yield* (yield* Transfers).lock(accountId, each)
  yield* refunds.complete(id)
  for (const each of transferIds) yield* resolve(accountId, each)
})
