/**
 * Deposits: money that came to a vault and counts for no request, listed until the merchant resolves it. Crediting
 * one to a request is all that makes an expired or cancelled request count as paid.
 */

import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Address, parseInAnyFamily, shown, TransactionId } from "../chains/address.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import * as AmountRange from "../operation/amount-range.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { define, InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as Customer from "../wallets/customer.ts"
import * as Announce from "./announce.ts"
import { recomputed, recomputeLocked, rewrite } from "./recompute.ts"
import * as RefundShare from "./refund-ledger.ts"
import { Refunds } from "./refund-ledger.ts"
import type { PaymentRequest } from "./request.ts"
import { receivedWith, setAsideFrom } from "./set-aside.ts"
import { DepositIssue, isPayable } from "./status.ts"
import { isListed, Resolution, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export const Deposit = Schema.Struct({
  depositId: Schema.String,
  vaultId: Schema.String,
  chainId: Schema.String,
  txHash: TransactionId,
  logIndex: Schema.Int,
  amountSmallestUnit: Usdc.SmallestUnits,
  payerAddress: Address,
  settlementIssue: DepositIssue,
  candidatePids: Schema.Array(Schema.String),
  status: Schema.Literals(["open", "resolved"]),
  resolution: Schema.NullOr(Resolution),
  ...RefundShare.fields,
  seenAt: Timestamp.Encoded
})

export const view = (
  transfer: Transfer,
  shares: ReadonlyArray<RefundShare.Share>
): typeof Deposit.Type => ({
  ...transfer,
  ...RefundShare.refundsView(shares.filter(({ transferId }) => transferId === transfer.id)),
  depositId: transfer.id,
  payerAddress: shown(transfer.chainId, transfer.payerAddress),
  amountSmallestUnit: transfer.amountMicro,
  status: transfer.resolution === null ? "open" : "resolved"
})

/** The caller's deposit as lists have it; another account's is not found either, nor what pays a request by itself. */
const find = (depositId: string) =>
  findOwn({ param: "depositId", what: "deposit", operation: "list_deposits" }, (accountId) =>
    Effect.map(
      Transfers.use(({ find }) => find(accountId, depositId)),
      (transfer) => (transfer !== undefined && isListed(transfer) ? transfer : undefined)
    )
  )

export const getDeposit = Operation.make("get_deposit", {
  summary: "Reads a deposit: where it came from, why it pays no request, and how it was resolved.",
  next: "resolve_deposit assigns an open one; propose_refund sends it back.",
  scope: "payment_requests:read",
  input: { depositId: Id("The deposit's id.") },
  output: Deposit.fields,
  refusals: [NotFound],
  example: { input: { depositId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ depositId }) {
    const transfer = yield* find(depositId)
    return view(transfer, yield* (yield* Refunds).ofTransfers([transfer.id]))
  })
})

/** The transaction whose deposits are wanted, if any, in the form that each family of chains would give it. */
const wantedTransaction = (text: string | undefined) => {
  if (text === undefined) return Effect.succeed(undefined)
  const txHashes = parseInAnyFamily(text)
  return txHashes.length > 0
    ? Effect.succeed(txHashes)
    : Effect.fail(
        new InvalidRequest({
          param: "txHash",
          message: "txHash must be the id of a transaction, as a block explorer shows it."
        })
      )
}

export const listDeposits = Page.list("list_deposits", {
  summary:
    "Lists payments to vaults that are credited to no request: ambiguous, late, too small, duplicate or unsolicited; optionally of one vault, customer, transaction or status, of a time or an amount.",
  next: "get_deposit reads one; candidatePids lists the requests it may belong to, and resolve_deposit assigns it.",
  scope: "payment_requests:read",
  key: "deposits",
  fields: Deposit.fields,
  input: {
    vaultId: Schema.optionalKey(Id()),
    ...Customer.filterFields,
    txHash: Schema.optionalKey(
      Text.Line(128).annotate({ description: "The id of the transaction that made the payment." })
    ),
    status: Schema.optionalKey(Schema.Literals(["open", "resolved"])),
    ...Page.times,
    ...AmountRange.fields
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    const { status, vaultId } = filter
    const wanted = {
      status,
      vaultId,
      customer: yield* Customer.wantedCustomer(filter),
      txHashes: yield* wantedTransaction(filter.txHash),
      ...(yield* AmountRange.read(filter))
    }
    return yield* (yield* Transfers).deposits(
      accountId,
      wanted,
      yield* Page.during(request, filter)
    )
  }),
  views: Effect.fnUntraced(function* (rows: ReadonlyArray<Transfer>) {
    const shares = yield* (yield* Refunds).ofTransfers(rows.map(({ id }) => id))
    return rows.map((each) => view(each, shares))
  })
})

export class DepositNotOpen extends define("DEPOSIT_NOT_OPEN", {
  kind: "conflict",
  meaning:
    "The deposit is not final yet, was already resolved, or is being refunded; `details` says which."
}) {}

/** Brings a request up to date that only its merchant may still call paid, with what is credited to it now. */
const settleClosed = Effect.fnUntraced(function* (
  request: PaymentRequest,
  transfer: Transfer,
  actor: string
) {
  const now = yield* DateTime.now
  const next = recomputed(request, yield* (yield* Transfers).ofRequest(request.id), now)
  const isPaid = next.status === "paid"
  const { status, settlementIssue } = request
  const receivedMicro = receivedWith(request, transfer, yield* setAsideFrom(transfer))
  const settled = isPaid ? next : { ...next, status, settlementIssue, receivedMicro, paidAt: null }
  yield* rewrite(settled)
  if (!isPaid) return settled
  yield* record({
    accountId: request.accountId,
    actor,
    action: "payment_request.paid",
    subjectType: "payment_request",
    subjectId: request.id,
    facts: { pid: request.pid, from: request.status, received: next.receivedMicro.toString() }
  })
  yield* Announce.paid(settled)
  return settled
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

/** Credits the deposit to a locked request of its vault, whatever has become of that; and says how both stand then. */
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
  const credited = yield* isPayable(request.status) || request.status === "paid"
    ? recomputeLocked(request)
    : settleClosed(request, transfer, keyId)
  return { transfer: { ...transfer, ...assignment }, request: credited }
})
