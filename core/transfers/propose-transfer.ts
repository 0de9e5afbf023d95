/** The operation that proposes a send: the wallet, the recipient and the amount, checked before anything is stored. */
import { Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import type * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import {
  IdempotencyKeyReused,
  InvalidAmount,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import * as Amount from "../policy/amount.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import { askAhead } from "../ports/together.ts"
import * as Proposal from "../proposals/operation.ts"
import { find } from "../recipients/find.ts"
import { Memo } from "../recipients/memo.ts"
import * as Recipient from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import * as Balance from "../wallets/balance.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as PayingWallet from "./paying-wallet.ts"
import { aheadOfCheck, send, spends } from "./send.ts"

/** Who is to be paid, and how much, as far as the caps ask. */
interface Paying {
  readonly recipient: Recipient.Recipient | undefined
  readonly amount: Usdc.Usdc
}

export const proposeTransfer = Proposal.operation("propose_transfer", send, {
  summary: "Proposes to send USDC from a wallet to an approved recipient. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; simulate_transfer explains a rejection.",
  input: {
    recipientId: Recipient.RecipientId,
    amountUsdc: Amount.AmountUsdc,
    fromWalletId: Id("The wallet to send from."),
    memo: Schema.optionalKey(
      Text.Line(256).annotate({ description: "Stored in the treasury, not on chain." })
    ),
    onChainMemo: Schema.optionalKey(
      Memo.annotate({
        description:
          "On Solana only: text that the payment carries on the chain, for all to read. Default: what the recipient requires, if anything."
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
      recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      amountUsdc: "12.50",
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e"
    }
  },
  asks: Effect.fnUntraced(function* ({ amountUsdc, fromWalletId, recipientId }) {
    const { accountId } = yield* Caller
    const amountSmallestUnit = yield* Amount.read(amountUsdc)
    return yield* spends(accountId, { amountSmallestUnit, fromWalletId, recipientId })
  }),
  prepare: Effect.fnUntraced(function* ({ amountUsdc, fromWalletId, recipientId }) {
    const [seen, recipient] = yield* Effect.all(
      [PayingWallet.ready(fromWalletId), PayingWallet.payee(recipientId)],
      { concurrency: "unbounded" }
    )
    const amount = yield* Amount.read(amountUsdc)
    const violation = yield* PayingWallet.violation(seen, recipient, amount)
    return { ...seen, violation, recipient, amount }
  }),
  ahead: Effect.fnUntraced(function* ({ fromWalletId, recipientId }, seen: Paying | undefined) {
    const { accountId } = yield* Caller
    const [recipients, wallets] = [yield* Recipients, yield* Wallets]
    yield* askAhead([
      recipients.find(accountId, recipientId),
      wallets.find(accountId, fromWalletId),
      seen?.recipient === undefined
        ? Effect.void
        : aheadOfCheck(accountId, seen.recipient, seen.amount)
    ])
  }),
  resolve: Effect.fnUntraced(function* ({ memo = null, onChainMemo, ...input }) {
    const amountSmallestUnit = yield* Amount.read(input.amountUsdc)
    const wallet = yield* PayingWallet.find(input.fromWalletId)
    const recipient = yield* find(input.recipientId)
    const terms = { amountSmallestUnit, memo }
    return yield* PayingWallet.pays(wallet, recipient, terms, onChainMemo)
  }),
  afford: Effect.fnUntraced(function* (seen, terms) {
    yield* PayingWallet.affords(seen, terms)
    if (seen.found !== undefined || seen.violation === undefined) return
    return yield* new InvalidAmount({ param: "amountUsdc", message: seen.violation })
  })
})
