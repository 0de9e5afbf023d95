/**
 * What anybody with the link may know of money that came for a request that had ended: that it is there, and what its
 * merchant made of it. Money that may be meant for several requests is told at none of them.
 */
import { DateTime, Effect } from "effect"
import type { TransactionId } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import type * as Usdc from "../money/usdc.ts"
import { PaymentSettings } from "./payment-settings.ts"
import type { PaymentRequest } from "./request.ts"
import { endedStatuses, isPayable } from "./status.ts"
import type { Resolution, Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export interface CameLate {
  readonly amountMicro: Usdc.Usdc
  readonly txHash: TransactionId
  /** Where anybody may look the transaction up. */
  readonly transactionUrl: string | null
  /** It came in time, but was too little. */
  readonly isPart: boolean
  /** Null while its merchant has not decided. */
  readonly resolution: Resolution | null
}

/** Of a vault's newest deposits, how many are looked through; beyond them nobody waits at the page any more. */
const maxRead = 50

/** How many are told; whoever sends more asks the merchant. */
const maxShown = 3

const isFor =
  ({ pid }: PaymentRequest) =>
  ({ candidatePids, settlementIssue }: Transfer) =>
    (settlementIssue === "late" || settlementIssue === "underpaid") &&
    candidatePids.length === 1 &&
    candidatePids[0] === pid

/** What came for a request that was never paid and takes no money any more, newest first. */
export const cameLate = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { accountId, chainId, createdAt, status, vaultId } = request
  if (!endedStatuses.includes(status)) return []
  const page = { limit: maxRead, since: createdAt }
  const { rows } = yield* (yield* Transfers).deposits(accountId, { vaultId }, page)
  const { dustMicro } = yield* PaymentSettings
  return rows
    .filter(isFor(request))
    .filter(({ amountMicro }) => amountMicro >= dustMicro)
    .slice(0, maxShown)
    .map(
      ({ amountMicro, resolution, settlementIssue, txHash }): CameLate => ({
        amountMicro,
        txHash,
        transactionUrl: Chain.transactionUrl(chainId, txHash),
        isPart: settlementIssue === "underpaid",
        resolution
      })
    )
})

/** For how long after its end a page follows a request for money that comes late; read again, it tells of it forever. */
const followedHours = 24

/** Whether what is told of a request may still change by itself. */
export const mayChange = ({ status, updatedAt }: PaymentRequest, now: DateTime.Utc): boolean =>
  isPayable(status) ||
  (status !== "paid" && DateTime.isLessThan(now, DateTime.add(updatedAt, { hours: followedHours })))
