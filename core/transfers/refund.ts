/**
 * Refunds: a send that claims what it sends back, and the operation that proposes one. The claim is made in
 * the very transaction that starts the execution, so no number of refunds at once sends back more than came
 * in; it ends with the proposal. The payer's own address is expected; the summary tells of another one.
 */
import { DateTime, Effect, Schema } from "effect"
import { record, system } from "../audit/record.ts"
import { Id } from "../encoding/id.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import {
  IdempotencyKeyReused,
  InvalidAmount,
  InvalidRequest,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { isRefunded, leftOfAll, Refunds } from "../payments/refund-ledger.ts"
import {
  from,
  isSame,
  lockedCountsFor,
  NothingToRefund,
  type RefundInput,
  received,
  refundSource,
  sourceIn,
  sourceOf,
  supersedeRefunds
} from "../payments/refundable.ts"
import { isDeposit } from "../payments/transfer.ts"
import { Transfers } from "../payments/transfer-store.ts"
import * as Amount from "../policy/amount.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import * as Kind from "../proposals/kind.ts"
import * as Operation from "../proposals/operation.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { find } from "../recipients/find.ts"
import * as Recipient from "../recipients/recipient.ts"
import * as Balance from "../wallets/balance.ts"
import * as PayingWallet from "./paying-wallet.ts"
import { type PaymentRecords, payment, paymentViolation, readPayment } from "./payment.ts"
import { check, exposure, refusals, spends, start } from "./send.ts"

const terms = {
  ...payment,
  ...refundSource,
  /** Whether all of it came from the address it goes to. */
  isToPayer: Schema.Boolean
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** Refuses more than is left. */
const within = Effect.fnUntraced(function* (amountMicro: Usdc.Usdc, leftMicro: Usdc.Usdc) {
  if (amountMicro > 0n && amountMicro <= leftMicro) return
  const leftUsdc = Usdc.format(leftMicro)
  return yield* new NothingToRefund({
    param: "amountUsdc",
    message:
      leftMicro === 0n
        ? "Nothing is left to refund: what came was refunded or is being refunded (see `refunds`), is not final yet, or stands as deposits since the request ended unpaid (see list_deposits, and refund by `depositId`)."
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
  ]) ?? paymentViolation(request, meant, records)

export const refund = Kind.define("refund", {
  title: "Refund a payment",
  movesMoney: true,
  chains: ({ chainId }) => [chainId],
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
  onChainMemo: ({ onChainMemo }) => onChainMemo ?? null,
  spends,
  signing: { read, violation },
  check: covered,
  perform: Effect.fnUntraced(function* (proposal, meant) {
    yield* claim(proposal, meant)
    return yield* start(proposal, meant, "refund")
  })
})

/** Money of one's own wallets is not sent back, it is moved. */
const isAnothers = Effect.fnUntraced(function* (recipient: Recipient.Recipient) {
  if (!recipient.isOwn) return
  return yield* new InvalidRequest({
    param: "recipientId",
    message: "This recipient is one of the account's own wallets; use propose_transfer instead."
  })
})

export const proposeRefund = Operation.operation("propose_refund", refund, {
  summary:
    "Proposes a refund of a deposit or of the payments of a payment request. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; the summary says if it does not go to the payer.",
  input: {
    depositId: Schema.optionalKey(Id("From list_deposits; this or `paymentRequestId`.")),
    paymentRequestId: Schema.optionalKey(
      Id("The `id` or `pid` of a request that can no longer be paid.")
    ),
    recipientId: Recipient.RecipientId,
    amountUsdc: Schema.optionalKey(
      Amount.AmountUsdc.annotate({
        description: "Decimal USDC. Default: everything not refunded yet."
      })
    ),
    fromWalletId: Schema.optionalKey(
      Id("The wallet to send from. Default: the vault that received the money.")
    )
  },
  refusals: [
    IdempotencyKeyReused,
    InvalidAmount,
    Balance.InsufficientBalance,
    UnsupportedChain,
    OutlayLimitExceeded,
    UpstreamUnavailable
  ],
  example: {
    input: {
      depositId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3f",
      recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      amountUsdc: "12.50"
    }
  },
  asks: () => Effect.undefined,
  prepare: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const { vaultId } = yield* received(accountId, yield* sourceOf(input))
    return yield* PayingWallet.ready(input.fromWalletId ?? vaultId)
  }),
  resolve: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const named = yield* sourceOf(input)
    const countedFor = yield* lockedCountsFor(accountId, named)
    const { chainId, shares, transfers, vaultId } = yield* received(accountId, named)
    const leftMicro = leftOfAll(transfers, shares)
    const amountSmallestUnit =
      input.amountUsdc === undefined ? leftMicro : yield* Amount.read(input.amountUsdc)
    yield* within(amountSmallestUnit, leftMicro)
    const wallet = yield* PayingWallet.find(input.fromWalletId ?? vaultId)
    if (wallet.chainId !== chainId) {
      return yield* new InvalidRequest({
        param: "fromWalletId",
        message: `The money arrived on ${chainId} and the wallet is on ${wallet.chainId}; use a wallet on ${chainId}.`
      })
    }
    const recipient = yield* find(input.recipientId)
    yield* isAnothers(recipient)
    return yield* PayingWallet.pays(wallet, recipient, {
      amountSmallestUnit,
      ...named,
      ...(countedFor === undefined ? {} : { countedFor }),
      isToPayer: leftOfAll(from(transfers, recipient.address).theirs, shares) >= amountSmallestUnit
    })
  }),
  afford: PayingWallet.affords
})

const rule = "refund_left" as const
const none = { capUsd: null, usedUsd: null, headroomUsd: null }

/**
 * The rule a refund adds to a transfer that is only judged: whether so much may still go back. None for one
 * that names no deposit and no request.
 */
export const refundRule = Effect.fnUntraced(function* (
  { accountId, chainId, isOwn }: Recipient.Recipient,
  amountMicro: Usdc.Usdc,
  named: RefundInput
) {
  if (named.depositId === undefined && named.paymentRequestId === undefined) return []
  const money = yield* sourceOf(named).pipe(
    Effect.flatMap((source) => received(accountId, source)),
    Effect.catchTag("NOTHING_TO_REFUND", () => Effect.undefined)
  )
  if (money === undefined) return [{ rule, passes: false, ...none }]
  const cameMicro = Usdc.sum(money.transfers.map(({ amountMicro }) => amountMicro))
  const leftMicro = leftOfAll(money.transfers, money.shares)
  return [
    {
      rule,
      passes: amountMicro <= leftMicro && !isOwn && chainId === money.chainId,
      capUsd: Usdc.format(cameMicro),
      usedUsd: Usdc.format(cameMicro - leftMicro),
      headroomUsd: Usdc.format(leftMicro)
    }
  ]
})
