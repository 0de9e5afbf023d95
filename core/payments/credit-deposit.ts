/**
 * Credits a deposit to the request its merchant names. Only this makes a request that expired or was cancelled
 * count as paid, and it is told like any other payment; money that goes back is credited to nothing.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import { define } from "../operation/refusal.ts"
import * as Announce from "./announce.ts"
import { Refunds } from "./refund-ledger.ts"
import type { PaymentRequest } from "./request.ts"
import { recompute, rewrite, settle } from "./settle.ts"
import { isPayable } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export class DepositNotOpen extends define("DEPOSIT_NOT_OPEN", {
  kind: "conflict",
  meaning:
    "The deposit is not final yet, was already resolved, or is being refunded; `details` says which."
}) {}

/** Brings a request up to date that only its merchant may still call paid. */
const settleClosed = Effect.fnUntraced(function* (request: PaymentRequest, actor: string) {
  const now = yield* DateTime.now
  const next = recompute(request, yield* (yield* Transfers).ofRequest(request.id), now)
  const isPaid = next.status === "paid"
  const { status, settlementIssue } = request
  const settled = isPaid ? next : { ...next, status, settlementIssue, paidAt: null }
  yield* rewrite(settled)
  if (!isPaid) return
  yield* record({
    accountId: request.accountId,
    actor,
    action: "payment_request.paid",
    subjectType: "payment_request",
    subjectId: request.id,
    facts: { pid: request.pid, from: request.status, received: next.receivedMicro.toString() }
  })
  yield* Announce.paid(settled)
})

/** Money that goes back counts for nothing; a locked transfer gets no further shares. */
const notRefunded = Effect.fnUntraced(function* ({ id }: Transfer) {
  const shares = yield* (yield* Refunds).ofTransfers([id])
  if (shares.length === 0) return
  return yield* new DepositNotOpen({
    param: "depositId",
    message:
      "Part of this deposit was refunded or is being refunded; use action ignore for the rest.",
    details: { refunds: shares.map(({ proposalId }) => proposalId) }
  })
})

/** Credits the deposit to a request of its vault, whatever has become of that. */
export const credit = Effect.fnUntraced(function* (
  transfer: Transfer,
  request: PaymentRequest,
  resolution: "accepted" | "attached"
) {
  const { keyId } = yield* Caller
  yield* notRefunded(transfer)
  const assignment = {
    requestId: request.id,
    method: transfer.method,
    settlementIssue: transfer.settlementIssue,
    candidatePids: transfer.candidatePids,
    resolution
  }
  yield* (yield* Transfers).assign(transfer.id, assignment)
  yield* isPayable(request.status) || request.status === "paid"
    ? settle(request.id)
    : settleClosed(request, keyId)
  return { ...transfer, ...assignment }
})
