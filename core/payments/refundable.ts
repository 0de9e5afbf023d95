/**
 * What came in for a deposit or a payment request and may be sent back: final money alone, and only when
 * nothing can make it count for a request any more. A refund is bound to what the money counted for when it
 * was proposed, so money that has come to pay for something since then never goes back by an older decision:
 * whoever allocates money differently supersedes the refunds that wait for it, in the same transaction.
 */
import { Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import { Caller } from "../operation/caller.ts"
import { noSuch } from "../operation/own.ts"
import { define, InvalidRequest } from "../operation/refusal.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { Refunds } from "./refund-ledger.ts"
import { PaymentRequests } from "./request-store.ts"
import { isPayable, Status } from "./status.ts"
import { isDeposit, Resolution, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export class NothingToRefund extends define("NOTHING_TO_REFUND", {
  kind: "conflict",
  meaning:
    "The refund exceeds what is left to refund of the final payments; `details` shows the amounts."
}) {}

/** Which money is meant: a deposit by its id, or all that was credited to a request, by its id. */
export type Source =
  | { readonly depositId: string; readonly paymentRequestId: null }
  | { readonly depositId: null; readonly paymentRequestId: string }

/** As a caller names it. */
export interface RefundInput {
  readonly depositId?: string | undefined
  readonly paymentRequestId?: string | undefined
}

export const sourceOf = Effect.fnUntraced(function* ({ depositId, paymentRequestId }: RefundInput) {
  if ((depositId === undefined) === (paymentRequestId === undefined)) {
    return yield* new InvalidRequest({
      param: depositId === undefined ? "depositId" : "paymentRequestId",
      message: "Send either a depositId or a paymentRequestId."
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
      "This deposit belongs to a request that can still be paid; refund it once the request is paid or has expired.",
    details: { pid: request.pid, status: request.status }
  })
})

const ofDeposit = Effect.fnUntraced(function* (accountId: string, depositId: string) {
  const transfer = yield* (yield* Transfers).find(accountId, depositId)
  const isOne = transfer !== undefined && (isDeposit(transfer) || transfer.resolution !== null)
  if (!isOne) {
    return yield* noSuch({ param: "depositId", what: "deposit", operation: "list_deposits" })
  }
  if (transfer.resolution === "own_transfer") {
    return yield* new NothingToRefund({
      param: "depositId",
      message:
        "This deposit came from one of the account's own wallets; use propose_transfer to move it.",
      details: { resolution: transfer.resolution }
    })
  }
  if (transfer.state !== "final") {
    return yield* new NothingToRefund({
      param: "depositId",
      message: "This deposit is not final on its chain yet; refund it later.",
      details: { state: transfer.state }
    })
  }
  if (transfer.requestId !== null) yield* cannotBePaid(accountId, transfer.requestId, "depositId")
  return { vaultId: transfer.vaultId, chainId: transfer.chainId, credited: [transfer] }
})

const ofRequest = Effect.fnUntraced(function* (accountId: string, requestId: string) {
  const request = yield* cannotBePaid(accountId, requestId, "paymentRequestId")
  if (request === undefined) {
    return yield* noSuch({
      param: "paymentRequestId",
      what: "payment request",
      operation: "list_payment_requests"
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

const isFrom = ({ chainId, payerAddress }: Transfer, address: Address.Address) =>
  Address.isSame(chainId, payerAddress, address)

/** What came from an address, and what came from others. */
export const from = (transfers: ReadonlyArray<Transfer>, address: Address.Address) => ({
  theirs: transfers.filter((each) => isFrom(each, address)),
  others: transfers.filter((each) => !isFrom(each, address))
})

/** What money counts for. */
export const CountedFor = Schema.Struct({
  /** The request it was credited to, and how that stood; null for a deposit that counts for none. */
  paymentRequestId: Schema.NullOr(Schema.String),
  paymentRequestStatus: Schema.NullOr(Status),
  resolution: Schema.NullOr(Resolution)
})
export type CountedFor = typeof CountedFor.Type

/** What a refund's terms say of the money that goes back. */
export const refundSource = {
  depositId: Schema.NullOr(Schema.String),
  paymentRequestId: Schema.NullOr(Schema.String),
  /** Left out by versions that did not bind a refund to it; those are not confirmed any more. */
  countedFor: Schema.optionalKey(CountedFor)
}

type RefundSource = Schema.Struct<typeof refundSource>["Type"]

/** Terms name one of the two, or none of our own code wrote them. */
export const sourceIn = ({
  depositId,
  paymentRequestId
}: Pick<RefundSource, "depositId" | "paymentRequestId">) =>
  ({ depositId, paymentRequestId }) as Source

/** What money counts for now; undefined when the account has no such money. */
export const countsFor = Effect.fnUntraced(function* (
  accountId: string,
  { depositId, paymentRequestId }: Source
) {
  const deposit =
    depositId === null ? undefined : yield* (yield* Transfers).find(accountId, depositId)
  if (depositId !== null && deposit === undefined) return undefined
  const requestId = deposit === undefined ? paymentRequestId : deposit.requestId
  const request =
    requestId === null ? undefined : yield* (yield* PaymentRequests).find(accountId, requestId)
  if (depositId === null && request === undefined) return undefined
  const counted: CountedFor = {
    paymentRequestId: request?.id ?? null,
    paymentRequestStatus: request?.status ?? null,
    resolution: deposit?.resolution ?? null
  }
  return counted
})

/** The same, kept from changing until the transaction ends: the request locked first, as all do who credit money. */
export const lockedCountsFor = Effect.fnUntraced(function* (accountId: string, source: Source) {
  const seen = yield* countsFor(accountId, source)
  const requestId = seen?.paymentRequestId ?? null
  if (requestId !== null) yield* (yield* PaymentRequests).lock(requestId)
  if (source.depositId !== null) yield* (yield* Transfers).lock(accountId, source.depositId)
  return yield* countsFor(accountId, source)
})

export const isSame = (one: CountedFor | undefined, other: CountedFor | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.paymentRequestId === other.paymentRequestId &&
  one.paymentRequestStatus === other.paymentRequestStatus &&
  one.resolution === other.resolution

/**
 * Whether any of a transfer goes back or has gone back. Such money is never credited to a request any more;
 * ask with the transfer locked, since a refund claims it under the same lock.
 */
export const hasRefund = Effect.fnUntraced(function* (transferId: string) {
  return (yield* (yield* Refunds).ofTransfers([transferId])).length > 0
})

const termsOf = Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Struct(refundSource)))

const changed = "The deposit was resolved differently after the refund was proposed."

/** Locks them before the request and the transfer, in the order a confirmation does. */
export const lockRefunds = Effect.fnUntraced(function* (
  accountId: string,
  sourceIds: ReadonlyArray<string>
) {
  const proposals = yield* Proposals
  const locked: Array<Proposal> = []
  for (const id of yield* proposals.waitingToRefund(accountId, sourceIds)) {
    const proposal = yield* proposals.lock(id)
    const isWaiting =
      proposal?.status === "pending_confirm" || proposal?.status === "requires_action"
    if (isWaiting) locked.push(proposal)
  }
  return locked
})

/** Supersedes waiting refunds of deposits and requests, by their ids; confirming a refund checks the same again. */
export const supersedeRefunds = Effect.fnUntraced(function* (
  accountId: string,
  sourceIds: ReadonlyArray<string>,
  actor: string
) {
  for (const proposal of yield* lockRefunds(accountId, sourceIds)) {
    // The stored terms were encoded by the same schema; others are a bug.
    const meant = yield* Effect.orDie(termsOf(proposal.terms))
    if (isSame(meant.countedFor, yield* countsFor(accountId, sourceIn(meant)))) continue
    yield* move(proposal, { status: "superseded", statusReason: changed }, actor)
  }
})
