/**
 * The operation that proposes a refund: a deposit's money, or what was credited to a payment request, back
 * to an approved recipient. The payer's own address is expected; another one is told in the summary.
 */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import {
  IdempotencyKeyReused,
  InvalidAmount,
  InvalidRequest,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { leftOfAll } from "../payments/refund-share.ts"
import {
  from,
  lockedCountsFor,
  type RefundInput,
  received,
  sourceOf
} from "../payments/refundable.ts"
import * as Amount from "../policy/amount.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import * as Proposal from "../proposals/operation.ts"
import { find } from "../recipients/find.ts"
import * as Recipient from "../recipients/recipient.ts"
import * as Balance from "../wallets/balance.ts"
import * as PayingWallet from "./paying-wallet.ts"
import { refund, within } from "./refund.ts"

/** Money of one's own wallets is not sent back, it is moved. */
const isAnothers = Effect.fnUntraced(function* (recipient: Recipient.Recipient) {
  if (!recipient.isOwn) return
  return yield* new InvalidRequest({
    param: "recipientId",
    message: "This recipient is one of the account's own wallets; use propose_transfer instead."
  })
})

export const proposeRefund = Proposal.operation("propose_refund", refund, {
  summary:
    "Proposes a refund of a deposit or of the payments of a payment request. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; the summary says if it does not go to the payer.",
  input: {
    depositId: Schema.optionalKey(
      Text.Line(64).annotate({ description: "From list_deposits; this or `paymentRequestId`." })
    ),
    paymentRequestId: Schema.optionalKey(
      Text.Line(64).annotate({
        description: "The `id` or `pid` of a request that can no longer be paid."
      })
    ),
    recipientId: Recipient.RecipientId,
    amountUsdc: Schema.optionalKey(
      Amount.AmountUsdc.annotate({
        description: "Decimal USDC. Default: everything not refunded yet."
      })
    ),
    fromWalletId: Schema.optionalKey(
      Text.Line(64).annotate({
        description: "The wallet to send from. Default: the vault that received the money."
      })
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
