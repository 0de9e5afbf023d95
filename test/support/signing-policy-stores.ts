/** Stores that warrant a signature in every respect, and what is said of them with one thing altered. */
import { DateTime, Schema } from "effect"
import type { Address } from "../../core/chains/address.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { SigningRequest } from "../../core/proposals/kind.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import * as Spender from "../../core/trade/spender.ts"
import { tokenApprove } from "../../core/trade/token-approve.ts"
import { type RefundRecords, refund } from "../../core/transfers/refund.ts"
import { send } from "../../core/transfers/send.ts"
import { type Standing, violation } from "../../core/treasury/signing-policy.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import * as Value from "./chain-values.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"

const chainId = "local"
export const amountMicro = Usdc.make(12_500_000n)
const token = Rows.anAddress()
const intentHash = Rows.aDigest()
const identity = Rows.aDigest()
export const elsewhere = Rows.anAddress()

/** What the records and the order say, in parts that a case alters one by one. */
export interface Stores {
  readonly order: SigningRequest
  readonly proposal: Proposal
  readonly wallet: Wallet
  readonly recipient: Recipient
  /** Of the proposal, by their own schema. */
  readonly terms: Readonly<Record<string, unknown>>
  readonly standing: Pick<Standing, "intentHash" | "identity"> & Omit<RefundRecords, "recipient">
}

export type Kind = "send" | "refund" | "token_approve"

const written: Readonly<Record<Kind, (terms: unknown) => unknown>> = {
  send: Schema.encodeUnknownSync(Schema.toCodecJson(send.terms)) as (terms: unknown) => unknown,
  refund: Schema.encodeUnknownSync(Schema.toCodecJson(refund.terms)) as (terms: unknown) => unknown,
  token_approve: Schema.encodeUnknownSync(Schema.toCodecJson(tokenApprove.terms)) as (
    terms: unknown
  ) => unknown
}

const ofUsdc = { symbol: "USDC", decimals: 6, approvedBy: "permit", byWayOfZero: false } as const

const spender = Spender.find("intent_swap", chainId)?.address as Address
export const otherSpender = Spender.find("limit_order_bridge", chainId)?.address as Address

/** Stores that warrant a signature for a proposal of this kind. */
export const recordsOf = (kind: Kind): Stores => {
  const accountId = Rows.anId()
  const wallet = { ...Rows.aWallet(accountId), chainId }
  const recipient = SendingRows.aRecipient(accountId, { chainId, status: "approved" })
  const isApproval = kind === "token_approve"
  const to = isApproval ? spender : recipient.address
  const payment = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    recipientId: recipient.id,
    toAddress: recipient.address,
    chainId,
    amountSmallestUnit: amountMicro
  }
  const terms: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
    send: { ...payment, memo: null },
    refund: { ...payment, depositId: Rows.anId(), paymentRequestId: null, isToPayer: false },
    token_approve: {
      fromWalletId: wallet.id,
      fromAddress: wallet.address,
      chainId,
      tokenAddress: token,
      flow: "intent_swap",
      spender,
      ...ofUsdc,
      amountSmallestUnit: amountMicro,
      worthMicroUsd: Usd.make(amountMicro)
    }
  }
  const proposal = SendingRows.aProposal(accountId, {
    kind,
    status: "executing",
    intentHash,
    recipientId: isApproval ? null : recipient.id
  })
  return {
    order: {
      act: isApproval ? "permit" : "transfer",
      call: null,
      part: null,
      proposalId: proposal.id,
      identity,
      accountId,
      walletId: wallet.id,
      key: wallet.key,
      chainId,
      from: Value.key(wallet.address),
      to: Value.key(to),
      amount: { token: { chainId, address: Value.key(token) }, units: amountMicro },
      token: Value.key(token)
    },
    proposal,
    wallet,
    recipient,
    terms: terms[kind],
    standing: {
      intentHash,
      identity,
      owner: undefined,
      held: { accountId, amountMicro: Usd.make(amountMicro), state: "reserved" },
      claimedMicro: kind === "refund" ? amountMicro : Usdc.zero,
      now: DateTime.makeUnsafe(1_000_000_000_000)
    }
  }
}

/** What a case changes; ids that two stores share are changed in both by naming them in both. */
export interface Alteration {
  readonly order?: Partial<SigningRequest>
  readonly proposal?: Partial<Proposal>
  readonly wallet?: Partial<Wallet> | null
  readonly recipient?: Partial<Recipient> | null
  readonly terms?: Readonly<Record<string, unknown>>
  readonly standing?: Partial<Stores["standing"]>
}

export const asked = (kind: Kind, altered: Alteration | ((stores: Stores) => Alteration) = {}) => {
  const stores = recordsOf(kind)
  const { order, proposal, recipient, standing, terms, wallet } =
    typeof altered === "function" ? altered(stores) : altered
  const stored = written[kind]({ ...stores.terms, ...terms }) as Proposal["terms"]
  const { identity: derived, intentHash: hash, ...records } = { ...stores.standing, ...standing }
  return violation(
    { ...stores.order, ...order },
    {
      intentHash: hash,
      identity: derived,
      isOfOrder: true,
      proposal: { ...stores.proposal, terms: stored, ...proposal },
      wallet: wallet === null ? undefined : { ...stores.wallet, ...wallet },
      records: {
        ...records,
        recipient: recipient === null ? undefined : { ...stores.recipient, ...recipient }
      }
    }
  )
}
