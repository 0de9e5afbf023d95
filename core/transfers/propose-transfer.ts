/** The operation that proposes a send: the wallet, the recipient and the amount, checked before anything is stored. */
import { Effect, Schema } from "effect"
import { AccountPaused } from "../accounts/pause.ts"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import {
  InsufficientScope,
  InvalidAmount,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import * as Amount from "../policy/amount.ts"
import { mayPropose } from "../proposals/authority.ts"
import { PolicyLimitExceeded, RecipientNotApproved } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import * as Recipient from "../recipients/recipient.ts"
import * as Balance from "../wallets/balance.ts"
import * as PayingWallet from "./paying-wallet.ts"
import { send, spends } from "./send.ts"

export const proposeTransfer = Operation.prepared("propose_transfer", {
  summary: "Proposes to send USDC from a wallet to an approved recipient. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; simulate_transfer explains a refusal.",
  scope: "proposals:write",
  nature: "write",
  leadsToMoney: true,
  authority: Effect.fnUntraced(function* ({ amountUsdc, fromWalletId, recipientId }, replayed) {
    const { accountId } = yield* Caller
    const amountSmallestUnit = yield* Amount.read(amountUsdc)
    const asked = yield* spends(accountId, { amountSmallestUnit, fromWalletId, recipientId })
    yield* mayPropose(asked, replayed)
  }),
  sinceThen: View.sinceThen,
  input: {
    recipientId: Recipient.RecipientId,
    amountUsdc: Amount.AmountUsdc,
    fromWalletId: Text.Line(64).annotate({ description: "The wallet to send from." }),
    memo: Schema.optionalKey(Text.Line(256).annotate({ description: "Kept here, not on chain." }))
  },
  output: View.proposed,
  refusals: [
    NotFound,
    InsufficientScope,
    InvalidAmount,
    RecipientNotApproved,
    PolicyLimitExceeded,
    AccountPaused,
    Balance.InsufficientBalance,
    UnsupportedChain,
    UpstreamUnavailable
  ],
  example: {
    input: {
      recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      amountUsdc: "12.50",
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e"
    }
  },
  prepare: ({ fromWalletId }) => PayingWallet.ready(fromWalletId),
  handle: Effect.fnUntraced(function* (input, heldMicro) {
    const amountSmallestUnit = yield* Amount.read(input.amountUsdc)
    const wallet = yield* PayingWallet.find(input.fromWalletId)
    const recipient = yield* Recipient.find(input.recipientId)
    yield* PayingWallet.mayPay(wallet, recipient)
    const proposal = yield* propose(
      send,
      {
        fromWalletId: wallet.id,
        fromAddress: wallet.address,
        recipientId: recipient.id,
        toAddress: recipient.address,
        chainId: wallet.chainId,
        amountSmallestUnit,
        memo: input.memo ?? null
      },
      { recipientId: recipient.id }
    )
    // Last, so that whoever may not be paid at all is told so before.
    yield* Balance.covers(heldMicro, amountSmallestUnit)
    return yield* View.view(proposal)
  })
})
