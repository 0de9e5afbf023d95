/**
 * Refunds: a send that claims what it sends back. The claim is made in the very transaction that starts the
 * execution, so no number of refunds at once sends back more than came in; it ends with the proposal.
 */
import { DateTime, Effect, Schema } from "effect"
import { record, system } from "../audit/record.ts"
import * as Usdc from "../money/usdc.ts"
import { Refunds } from "../payments/refund-ledger.ts"
import { isRefunded, leftOfAll } from "../payments/refund-share.ts"
import {
  from,
  isSame,
  lockedCountsFor,
  NothingToRefund,
  received,
  refundSource,
  sourceIn
} from "../payments/refundable.ts"
import { supersedeRefunds } from "../payments/supersede-refunds.ts"
import { isDeposit } from "../payments/transfer.ts"
import { Transfers } from "../payments/transfer-store.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { type PaymentRecords, payment, paymentObjection, readPayment } from "./payment.ts"
import { check, exposure, refusals, spends, start } from "./send.ts"

const terms = {
  ...payment,
  ...refundSource,
  /** Whether all of it came from the address it goes to. */
  isToPayer: Schema.Boolean
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** Refuses more than is left. */
export const within = Effect.fnUntraced(function* (amountMicro: Usdc.Usdc, leftMicro: Usdc.Usdc) {
  if (amountMicro > 0n && amountMicro <= leftMicro) return
  const leftUsdc = Usdc.format(leftMicro)
  return yield* new NothingToRefund({
    param: "amountUsdc",
    message:
      leftMicro === 0n
        ? "Everything was already refunded or is being refunded; see `refunds` of the deposit or request."
        : `At most ${leftUsdc} USDC can still be refunded; send a smaller amount.`,
    details: { refundableUsdc: leftUsdc }
  })
})

const covered = Effect.fnUntraced(function* (accountId: string, meant: Terms) {
  yield* check(accountId, meant)
  const { shares, transfers } = yield* received(accountId, sourceIn(meant))
  yield* within(meant.amountSmallestUnit, leftOfAll(transfers, shares))
})

/** Refuses money that counts for something else than it did when the refund was proposed. */
const countsAsBefore = Effect.fnUntraced(function* (accountId: string, meant: Terms) {
  const now = yield* lockedCountsFor(accountId, sourceIn(meant))
  if (isSame(meant.countedFor, now)) return
  return yield* new NothingToRefund({
    param: meant.depositId === null ? "paymentRequestId" : "depositId",
    message:
      "The deposit was resolved differently after the refund was proposed; propose the refund again.",
    details: { countedFor: meant.countedFor ?? null, countsFor: now ?? null }
  })
})

/**
 * What came from the payee itself goes back first, then the rest, the oldest first. What the money counts for
 * is judged under the locks that those take who credit it, and cannot change before this ends.
 */
const claim = Effect.fnUntraced(function* ({ accountId, id }: Proposal, meant: Terms) {
  yield* countsAsBefore(accountId, meant)
  const { transfers } = yield* received(accountId, sourceIn(meant))
  const { others, theirs } = from(transfers, meant.toAddress)
  const outcome = yield* (yield* Refunds).claim({
    proposalId: id,
    accountId,
    amountMicro: meant.amountSmallestUnit,
    transferIds: [...theirs, ...others].map((each) => each.id),
    at: yield* DateTime.now
  })
  if (outcome._tag === "over") yield* within(meant.amountSmallestUnit, outcome.leftMicro)
})

/** A deposit that is back in full is resolved by that, unless it was before. */
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

/** Gives the claim back when the refund failed, and counts it when the money is back. */
const end = Effect.fnUntraced(function* (
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

/** What the records say of a refund: of the payment it is, and how much it has claimed. */
export interface RefundRecords extends PaymentRecords {
  readonly claimedMicro: Usdc.Usdc
}

const read = Effect.fnUntraced(function* (proposal: Proposal, request: Kind.SigningRequest) {
  const shares = yield* (yield* Refunds).ofProposal(proposal.id)
  const claimed = shares.filter(({ state }) => state === "claimed")
  const records: RefundRecords = {
    ...(yield* readPayment(proposal, request)),
    claimedMicro: Usdc.sum(claimed.map(({ amountMicro }) => amountMicro))
  }
  return records
})

/** A refund is a payment that has claimed what it sends back, to nobody's own wallet. */
const violation = (request: Kind.SigningRequest, meant: Terms, records: RefundRecords) =>
  Kind.firstBroken([
    [records.recipient?.isOwn === false, "the recipient is a wallet of the account"],
    [records.claimedMicro === request.amount.units, "another amount is claimed for it"]
  ]) ?? paymentObjection(request, meant, records)

export const refund = Kind.define("refund", {
  title: "Refund a payment",
  movesMoney: true,
  refusals: [...refusals, NothingToRefund],
  exposure,
  ended: end,
  terms,
  summary: (to) =>
    `Refund ${Usdc.format(to.amountSmallestUnit)} USDC on ${to.chainId} from ${to.fromAddress} to ${to.toAddress}, ${to.isToPayer ? "the payer" : "an address that is NOT the payer's"}`,
  cosigned: ({ amountSmallestUnit }) => ({
    action: "send",
    amountMicro: Usdc.toUsd(amountSmallestUnit)
  }),
  spends,
  signing: { read, violation },
  check: covered,
  perform: Effect.fnUntraced(function* (proposal, meant) {
    yield* claim(proposal, meant)
    return yield* start(proposal, meant)
  })
})
