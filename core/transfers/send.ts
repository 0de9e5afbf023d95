/**
 * Sends: USDC from a wallet to an approved recipient, under the caps. A cap is reserved in the very
 * transaction that starts the execution, so no number of confirmations at once passes it.
 */
import { DateTime, Effect, Schema } from "effect"
import { AccountPaused, requireRunning } from "../accounts/pause.ts"
import { keyOf } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import { NotFound } from "../operation/refusal.ts"
import { evaluate, windowsAt } from "../policy/limits.ts"
import { currentRevision, revisionOf } from "../policy/revision.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { askAhead } from "../ports/together.ts"
import { overLimits } from "../proposals/key-bounds.ts"
import * as Kind from "../proposals/kind.ts"
import { PolicyLimitExceeded, type Proposal, RecipientNotApproved } from "../proposals/proposal.ts"
import { queue } from "../proposals/run-step.ts"
import * as Recipient from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { ofProposal } from "../submissions/identity.ts"
import { Identity } from "../timeline/identity.ts"
import { signing } from "../wallets/queue.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { type Payment, payment, paymentViolation, readPayment, usdcOn } from "./payment.ts"

const notApproved = (recipient: Recipient.Recipient, now: DateTime.Utc) =>
  new RecipientNotApproved({
    param: "recipientId",
    message: Recipient.isCoolingDown(recipient, now)
      ? `This recipient is in its cooldown until ${DateTime.formatIso(recipient.cooldownEndsAt)}; try again after that, or end it with approve_recipient.`
      : "This recipient was revoked; add it again and wait for its cooldown.",
    details: {
      recipientId: recipient.id,
      cooldownEndsAt: DateTime.formatIso(recipient.cooldownEndsAt)
    },
    next: { operation: "list_recipients", args: {} }
  })

/** A recipient that may be paid at this instant. */
const payable = Effect.fnUntraced(function* (recipient: Recipient.Recipient | undefined) {
  const now = yield* DateTime.now
  if (recipient === undefined) {
    return yield* new NotFound({
      param: "recipientId",
      message: "This account has no recipient with this id; see list_recipients.",
      next: { operation: "list_recipients", args: {} }
    })
  }
  if (!Recipient.isApproved(recipient, now)) return yield* notApproved(recipient, now)
  return recipient
})

/** What the payment of a proposal is known by on its chain. */
const known = Effect.fnUntraced(function* (
  proposal: Pick<Proposal, "id" | "accountId" | "call">,
  { chainId, toAddress }: Pick<Payment, "chainId" | "toAddress">
) {
  const identity = (yield* Identity).derive(ofProposal(proposal))
  return { chainId, identity, to: keyOf(chainId, toAddress) }
})

/** What a payment that is proposed would add to what its account has used. */
const used = Effect.fnUntraced(function* (
  accountId: string,
  payment: Pick<Payment, "amountSmallestUnit" | "chainId" | "toAddress">
) {
  const { call = null } = yield* Caller
  const amountMicro = Usdc.toUsd(payment.amountSmallestUnit)
  const paying = { ...(yield* known({ id: "", accountId, call }, payment)), amountMicro }
  const windows = windowsAt(yield* DateTime.now)
  return yield* (yield* Spending).usedWithout(accountId, windows, paying)
})

/** What judging a payment to this payee will ask of the caps. */
export const aheadOfCheck = Effect.fnUntraced(function* (
  accountId: string,
  { address, chainId, isOwn }: Recipient.Recipient,
  amountSmallestUnit: Usdc.Usdc
) {
  if (isOwn) return
  yield* askAhead([used(accountId, { amountSmallestUnit, chainId, toAddress: address })])
})

/** Refuses early what the caps would refuse later; the reservation decides. */
export const check = Effect.fnUntraced(function* (accountId: string, payment: Payment) {
  yield* requireRunning(accountId)
  const recipient = yield* payable(yield* (yield* Recipients).find(accountId, payment.recipientId))
  if (recipient.isOwn) return
  const limits = yield* revisionOf(accountId)
  const before = yield* used(accountId, payment)
  const verdicts = evaluate(limits, before, Usdc.toUsd(payment.amountSmallestUnit))
  if (verdicts.some((verdict) => !verdict.passes)) return yield* overLimits(verdicts)
})

const reservationOf = Effect.fnUntraced(function* (proposal: Proposal, payment: Payment) {
  const at = yield* DateTime.now
  return {
    proposalId: proposal.id,
    accountId: proposal.accountId,
    amountMicro: Usdc.toUsd(payment.amountSmallestUnit),
    windows: windowsAt(at),
    at,
    pays: yield* known(proposal, payment)
  }
})

/** What starting it asks: the recipient and the account are held, in this order. */
export const ahead = Effect.fnUntraced(function* (proposal: Proposal, payment: Payment) {
  const { accountId } = proposal
  const [recipients, spending, wallets] = [yield* Recipients, yield* Spending, yield* Wallets]
  yield* askAhead([
    recipients.hold(accountId, payment.recipientId),
    spending.ahead(yield* reservationOf(proposal, payment)),
    recipients.find(accountId, payment.recipientId),
    wallets.find(accountId, payment.fromWalletId)
  ])
})

const reserve = Effect.fnUntraced(function* (proposal: Proposal, payment: Payment) {
  const limits = yield* currentRevision(proposal.accountId)
  const reserved = yield* (yield* Spending).reserve(yield* reservationOf(proposal, payment), limits)
  if (reserved._tag === "over") return yield* overLimits(reserved.verdicts)
})

/** Reserves its cap and queues it. */
export const start = Effect.fnUntraced(function* (
  proposal: Proposal,
  send: Payment,
  purpose: "send" | "refund" = "send"
) {
  const recipient = yield* payable(
    yield* (yield* Recipients).hold(proposal.accountId, send.recipientId)
  )
  const wallet = yield* signing(proposal.accountId, send.fromWalletId)
  if (!recipient.isOwn) yield* reserve(proposal, send)
  return yield* queue(proposal, purpose, {
    wallet,
    chainId: send.chainId,
    act: "transfer",
    from: keyOf(send.chainId, send.fromAddress),
    to: keyOf(send.chainId, send.toAddress),
    amount: yield* usdcOn(send.chainId, send.amountSmallestUnit),
    ...(send.onChainMemo === undefined ? {} : { memo: send.onChainMemo })
  })
})

/** What the caveats of keys are held against. */
export const spends = Effect.fnUntraced(function* (
  accountId: string,
  {
    amountSmallestUnit,
    fromWalletId,
    recipientId
  }: Pick<Payment, "amountSmallestUnit" | "fromWalletId" | "recipientId">
) {
  const recipient = yield* (yield* Recipients).find(accountId, recipientId)
  const spent: Kind.Spent = {
    walletId: fromWalletId,
    recipientId,
    amountMicro: Usdc.toUsd(amountSmallestUnit),
    isCapped: recipient?.isOwn !== true,
    pays: recipient && {
      chainId: recipient.chainId,
      to: keyOf(recipient.chainId, recipient.address)
    }
  }
  return spent
})

/** What a payment risks is what it pays, by the caps of its tier. */
export const exposure = ({ amountSmallestUnit }: Payment): Kind.Exposure => ({
  amountMicro: Usdc.toUsd(amountSmallestUnit),
  limit: "per_transfer"
})

/** What every payment may be refused with, where it is proposed and where it is done. */
export const refusals = [
  NotFound,
  RecipientNotApproved,
  PolicyLimitExceeded,
  AccountPaused
] as const

export const send = Kind.define("send", {
  title: "Send money",
  movesMoney: true,
  chains: ({ chainId }) => [chainId],
  refusals,
  exposure,
  memo: ({ memo }) => memo,
  onChainMemo: ({ onChainMemo }) => onChainMemo ?? null,
  terms: { ...payment, memo: Schema.NullOr(Schema.String) },
  summary: (to) =>
    `Send ${Usdc.format(to.amountSmallestUnit)} USDC on ${to.chainId} from ${to.fromAddress} to ${to.toAddress}`,
  cosigned: ({ amountSmallestUnit }) => ({
    action: "send",
    amountMicro: Usdc.toUsd(amountSmallestUnit)
  }),
  spends,
  signing: { read: readPayment, violation: paymentViolation },
  check,
  ahead,
  perform: start
})
