/**
 * What anybody with the link may know of money that came for a request that had ended or was paid already: that it is
 * there, and what its merchant made of it. Money that may be meant for several requests is told at none of them.
 */
import { DateTime, Effect } from "effect"
import type { TransactionId } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import type * as Usdc from "../money/usdc.ts"
import { PaymentSettings } from "./payment-settings.ts"
import type { PaymentRequest } from "./request.ts"
import { type DepositIssue, endedStatuses, isPayable } from "./status.ts"
import type { Resolution } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

type Issue = Extract<DepositIssue, "late" | "underpaid" | "duplicate">

export interface CameLate {
  readonly id: string
  readonly amountMicro: Usdc.Usdc
  readonly txHash: TransactionId
  /** Where anybody may look the transaction up. */
  readonly transactionUrl: string | null
  /** Too late, in time but too little, or once more what was paid already. */
  readonly issue: Issue
  /** Null while its merchant has not decided. */
  readonly resolution: Resolution | null
}

/** How many are told; whoever sends more asks the merchant. */
const maxShown = 3

/** What is told of a request that ended without being paid, and of one that was paid. */
const toldAfterEnd: ReadonlyArray<DepositIssue> = ["late", "underpaid"]
const toldOncePaid: ReadonlyArray<DepositIssue> = ["duplicate"]

/** What came for a request that takes no money any more and counts for none, newest first. */
export const cameLate = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { accountId, chainId, createdAt, pid, status, vaultId } = request
  if (isPayable(status)) return []
  const { dustMicro } = yield* PaymentSettings
  const issues = endedStatuses.includes(status) ? toldAfterEnd : toldOncePaid
  const wanted = { vaultId, onlyFor: pid, issues, minMicro: dustMicro }
  const page = { limit: maxShown, since: createdAt }
  const { rows } = yield* (yield* Transfers).deposits(accountId, wanted, page)
  return rows.map(
    ({ amountMicro, id, resolution, settlementIssue, txHash }): CameLate => ({
      id,
      amountMicro,
      txHash,
      transactionUrl: Chain.transactionUrl(chainId, txHash),
      issue: settlementIssue as Issue,
      resolution
    })
  )
})

/** For how long after its end a page follows a request for money that comes late; read again, it tells of it forever. */
const followedHours = 24

/** Whether what is told of a request may still change by itself. A second payment is told where a page is read again. */
export const mayChange = ({ status, updatedAt }: PaymentRequest, now: DateTime.Utc): boolean =>
  isPayable(status) ||
  (status !== "paid" && DateTime.isLessThan(now, DateTime.add(updatedAt, { hours: followedHours })))
