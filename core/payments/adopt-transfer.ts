/**
 * Links a settlement to a transfer that the watcher had already recorded, for example because someone else
 * submitted the authorization first. A transfer that is credited already stays where it is.
 */

import { Effect } from "effect"
import { system } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Settlement } from "../x402/settlement.ts"
import { hasRefund, supersedeRefunds } from "./refundable.ts"
import { PaymentRequests } from "./request-store.ts"
import { Transfers } from "./transfer-store.ts"

/** Runs after the request is locked; a transfer the watcher has not come to yet is attached by it. */
export const adopt = Effect.fnUntraced(function* (settlement: Settlement) {
  const { authorization, subject, transferId, txHash } = settlement
  if (subject._tag !== "payment_request" || transferId !== null || txHash === null) return
  const request = yield* (yield* PaymentRequests).lock(subject.requestId)
  const transfers = yield* Transfers
  const transaction = Address.transactionKeyOf(settlement.chainId, txHash)
  const found = (yield* transfers.ofTransaction(settlement.chainId, transaction)).find(
    (each) =>
      each.vaultId === request?.vaultId &&
      each.state !== "reorged" &&
      Address.isSame(each.chainId, each.payerAddress, authorization.from) &&
      each.amountMicro === authorization.amountMicro
  )
  if (found === undefined) return
  const transfer = (yield* transfers.lock(found.accountId, found.id)) ?? found
  yield* (yield* SubmissionStore).attach(settlement.id, transfer.id)
  const isFree =
    transfer.requestId === null && transfer.resolution === null && !(yield* hasRefund(transfer.id))
  if (isFree || transfer.requestId === subject.requestId) {
    yield* transfers.assign(transfer.id, {
      requestId: subject.requestId,
      method: "x402",
      settlementIssue: "none",
      candidatePids: [],
      resolution: null
    })
    yield* supersedeRefunds(transfer.accountId, [transfer.id], system)
    return
  }
  yield* Effect.logWarning(
    `The payment ${txHash} for ${subject.pid} is already credited elsewhere; check it by hand.`
  )
})
