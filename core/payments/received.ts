/**
 * What came in for a deposit or a payment request and may be sent back: final money alone, and only when
 * nothing can make it count for a request any more.
 */

import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import { Caller } from "../operation/caller.ts"
import { define, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Refunds } from "./refund-ledger.ts"
import { PaymentRequests } from "./request-store.ts"
import { isPayable } from "./status.ts"
import { isDeposit, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export class NothingToRefund extends define("NOTHING_TO_REFUND", {
  kind: "conflict",
  meaning:
    "More would go back than came in, is final and has not gone back yet; `details` has the figures."
}) {}

/** Which money is meant: a deposit by its id, or all that was credited to a request, by its id. */
export type Source =
  | { readonly depositId: string; readonly paymentRequestId: null }
  | { readonly depositId: null; readonly paymentRequestId: string }

/** As a caller names it. */
export interface Named {
  readonly depositId?: string | undefined
  readonly paymentRequestId?: string | undefined
}

export const sourceOf = Effect.fnUntraced(function* ({ depositId, paymentRequestId }: Named) {
  if ((depositId === undefined) === (paymentRequestId === undefined)) {
    return yield* new InvalidRequest({
      param: depositId === undefined ? "depositId" : "paymentRequestId",
      message: "Name what is refunded: either a depositId or a paymentRequestId."
    })
  }
  if (depositId !== undefined) return { depositId, paymentRequestId: null } satisfies Source
  const { accountId } = yield* Caller
  const named = paymentRequestId as string
  const request = yield* (yield* PaymentRequests).find(accountId, named)
  // Its pid names it too; the terms keep its id, which never means another.
  return { depositId: null, paymentRequestId: request?.id ?? named } satisfies Source
})

/** The request, unless what came may still complete it. */
const cannotBePaid = Effect.fnUntraced(function* (
  accountId: string,
  requestId: string,
  param: "depositId" | "paymentRequestId"
) {
  const request = yield* (yield* PaymentRequests).find(accountId, requestId)
  if (request === undefined || !isPayable(request.status)) return request
  return yield* new NothingToRefund({
    param,
    message:
      "It counts for a request that can still be paid; refund it once that is paid, or its deposits once it has expired.",
    details: { pid: request.pid, status: request.status }
  })
})

const ofDeposit = Effect.fnUntraced(function* (accountId: string, depositId: string) {
  const transfer = yield* (yield* Transfers).find(accountId, depositId)
  const isOne = transfer !== undefined && (isDeposit(transfer) || transfer.resolution !== null)
  if (!isOne) {
    return yield* new NotFound({
      param: "depositId",
      message: "No deposit of this account has this id; list_deposits shows them.",
      next: { operation: "list_deposits", args: {} }
    })
  }
  if (transfer.resolution === "own_transfer") {
    return yield* new NothingToRefund({
      param: "depositId",
      message: "This money came from a wallet of the account itself; propose_transfer moves it on.",
      details: { resolution: transfer.resolution }
    })
  }
  if (transfer.state !== "final") {
    return yield* new NothingToRefund({
      param: "depositId",
      message: "This money is not final on its chain; refund it once it is.",
      details: { state: transfer.state }
    })
  }
  if (transfer.requestId !== null) yield* cannotBePaid(accountId, transfer.requestId, "depositId")
  return { vaultId: transfer.vaultId, chainId: transfer.chainId, credited: [transfer] }
})

const ofRequest = Effect.fnUntraced(function* (accountId: string, requestId: string) {
  const request = yield* cannotBePaid(accountId, requestId, "paymentRequestId")
  if (request === undefined) {
    return yield* new NotFound({
      param: "paymentRequestId",
      message: "No payment request of this account has this id; list_payment_requests shows them.",
      next: { operation: "list_payment_requests", args: {} }
    })
  }
  const credited = yield* (yield* Transfers).ofRequest(request.id)
  return { vaultId: request.vaultId, chainId: request.chainId, credited }
})

/** The final transfers, oldest first, with the shares refunds hold of them. */
export const received = Effect.fnUntraced(function* (
  accountId: string,
  { depositId, paymentRequestId }: Source
) {
  const { credited, ...where } = yield* depositId === null
    ? ofRequest(accountId, paymentRequestId)
    : ofDeposit(accountId, depositId)
  const transfers = credited.filter(({ state }) => state === "final")
  const shares = yield* (yield* Refunds).ofTransfers(transfers.map(({ id }) => id))
  return { ...where, transfers, shares }
})

const isFrom = ({ chainId, payerAddress }: Transfer, address: string) =>
  Address.isSame(chainId, payerAddress, address)

/** What came from an address, and what came from others. */
export const from = (transfers: ReadonlyArray<Transfer>, address: string) => ({
  theirs: transfers.filter((each) => isFrom(each, address)),
  others: transfers.filter((each) => !isFrom(each, address))
})
