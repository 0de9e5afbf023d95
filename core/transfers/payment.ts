/** What every payment of USDC says, and when a wallet's key may sign for one. */
import { DateTime, Effect, Schema } from "effect"
import { Address, isSame, keyOf } from "../chains/address.ts"
import { isCarried } from "../chains/memo.ts"
import { ofUsdc } from "../chains/token-amount.ts"
import * as Usdc from "../money/usdc.ts"
import { type ReservedAmount, Spending } from "../policy/spending-ledger.ts"
import { Chains } from "../ports/chains.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import * as Recipient from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"

/** What every payment says, whatever it is for. */
export const payment = {
  fromWalletId: Schema.String,
  fromAddress: Address,
  recipientId: Schema.String,
  toAddress: Address,
  chainId: Schema.String,
  amountSmallestUnit: Usdc.Units,
  /** The text that it carries on the chain, for all to read; absent when it carries none. */
  onChainMemo: Schema.optionalKey(Schema.String)
}
export type Payment = Schema.Struct<typeof payment>["Type"]

/** So much of what is USDC on a chain; that the treasury is not connected to it is a defect. */
export const usdcOn = Effect.fnUntraced(function* (chainId: string, units: Usdc.Usdc) {
  const connected = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)
  if (connected !== undefined) return ofUsdc(connected, units)
  return yield* Effect.die(new Error(`Chain ${chainId} is not connected.`))
})

/** What the records say of a payment. */
export interface PaymentRecords {
  readonly recipient: Recipient.Recipient | undefined
  /** The account whose wallet the money goes to, if it goes to a wallet of the treasury. */
  readonly owner: string | undefined
  readonly held: ReservedAmount | undefined
  readonly now: DateTime.Utc
}

export const readPayment = Effect.fnUntraced(function* (
  { accountId, id, recipientId }: Proposal,
  { chainId, to }: Kind.SigningRequest
) {
  const [recipients, spending, wallets] = [yield* Recipients, yield* Spending, yield* Wallets]
  const records: PaymentRecords = yield* Effect.all(
    {
      recipient: recipientId === null ? Effect.undefined : recipients.find(accountId, recipientId),
      owner: wallets.ownerOf(chainId, keyOf(chainId, to)),
      held: spending.heldBy(id),
      now: DateTime.now
    },
    { concurrency: "unbounded" }
  )
  return records
})

/** What a payment must not pass: its own terms, the allowlist, and what was reserved for it. */
export const paymentViolation = (
  request: Kind.SigningRequest,
  terms: Payment,
  { recipient, owner, held, now }: PaymentRecords
) => {
  const { accountId, amount, chainId, from, to } = request
  const isOwn = recipient?.isOwn === true && owner === accountId
  return Kind.firstBroken([
    [request.act === "transfer", "a send signs nothing but a transfer"],
    [terms.fromWalletId === request.walletId, "the terms name another wallet"],
    [isSame(chainId, terms.fromAddress, from), "the terms name another address to send from"],
    [isSame(chainId, terms.toAddress, to), "the terms name another address to send to"],
    [terms.chainId === chainId, "the terms name another chain"],
    [terms.amountSmallestUnit === amount.units, "the terms name another amount"],
    [terms.onChainMemo === request.memo, "the terms name another memo"],
    [
      request.memo === undefined || isCarried(chainId, request.memo),
      "the chain carries no such memo"
    ],
    [
      (recipient?.requiredMemo ?? request.memo) === request.memo,
      "the recipient requires another memo"
    ],
    [recipient?.id === terms.recipientId, "the account has no such recipient"],
    [
      recipient !== undefined && Recipient.isApproved(recipient, now),
      "the recipient is not approved"
    ],
    [isSame(chainId, recipient?.address ?? "", to), "the recipient has another address"],
    [recipient?.chainId === chainId, "the recipient is on another chain"],
    [
      isOwn || (held?.state === "reserved" && held.accountId === accountId),
      "nothing is reserved for it"
    ],
    [isOwn || held?.amountMicro === amount.units, "another amount is reserved for it"]
  ])
}

declare module "../proposals/proposal.ts" {
  interface KindNames {
    send: true
  }
}
