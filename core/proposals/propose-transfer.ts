/** The operation that proposes a send: the wallet, the recipient and the amount, checked before anything is stored. */
import { Effect, Schema } from "effect"
import { AccountPaused } from "../accounts/pause.ts"
import { Caller } from "../caller.ts"
import * as Operation from "../operation.ts"
import * as Amount from "../policy/amount.ts"
import { Chains } from "../ports/chains.ts"
import { Wallets } from "../ports/wallets.ts"
import * as Recipient from "../recipients/recipient.ts"
import {
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../refusal.ts"
import * as Text from "../text.ts"
import * as Balance from "../wallets/balance.ts"
import { PolicyLimitExceeded } from "./proposal.ts"
import { propose } from "./propose.ts"
import * as Relayer from "./relayer.ts"
import { send } from "./transfer.ts"
import * as View from "./view.ts"

const walletOf = Effect.fnUntraced(function* (walletId: string) {
  const { accountId } = yield* Caller
  const wallet = yield* (yield* Wallets).find(accountId, walletId)
  if (wallet === undefined) {
    return yield* new NotFound({
      param: "fromWalletId",
      message: "No wallet of this account has this id; list_wallets shows them.",
      next: { operation: "list_wallets", args: {} }
    })
  }
  return wallet
})

export const proposeTransfer = Operation.informed("propose_transfer", {
  summary: "Proposes to send USDC from a wallet to an approved recipient. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; simulate_transfer explains a refusal.",
  scope: "proposals:write",
  nature: "write",
  input: {
    recipientId: Recipient.RecipientId,
    amountUsdc: Amount.AmountUsdc,
    fromWalletId: Text.Line(64).annotate({ description: "The wallet to send from." }),
    memo: Schema.optionalKey(Text.Line(256).annotate({ description: "Kept here, not on chain." }))
  },
  output: View.fields,
  refusals: [
    NotFound,
    InvalidAmount,
    Recipient.RecipientNotApproved,
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
  beforehand: Effect.fnUntraced(function* ({ fromWalletId }) {
    const wallet = yield* walletOf(fromWalletId)
    const { connected } = yield* Chains
    if (!connected.some(({ chain }) => chain.id === wallet.chainId)) {
      return yield* new UnsupportedChain({
        param: "fromWalletId",
        message: `This treasury is not connected to ${wallet.chainId} any more; send from another wallet.`,
        details: { supported: connected.map(({ chain }) => chain.id) }
      })
    }
    yield* Relayer.ready(wallet.chainId)
    return yield* Balance.held(wallet)
  }),
  run: Effect.fnUntraced(function* (input, heldMicro) {
    const amountSmallestUnit = yield* Amount.read(input.amountUsdc)
    const wallet = yield* walletOf(input.fromWalletId)
    const recipient = yield* Recipient.find(input.recipientId)
    if (recipient.chainId !== wallet.chainId) {
      return yield* new InvalidRequest({
        param: "fromWalletId",
        message: `The recipient is on ${recipient.chainId} and the wallet on ${wallet.chainId}; send from a wallet on the recipient's chain.`
      })
    }
    if (recipient.address === wallet.address) {
      return yield* new InvalidRequest({
        param: "recipientId",
        message: "The recipient is the wallet itself; choose another one."
      })
    }
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
