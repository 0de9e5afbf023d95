/** A send, a refund and an approval that the records warrant in every respect, to be changed in one of them. */
import { Effect, Schema } from "effect"
import * as Address from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Refunds } from "../../core/payments/refund-ledger.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { intentOf } from "../../core/proposals/propose.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { ofProposal } from "../../core/submissions/identity.ts"
import type { Order } from "../../core/submissions/order.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { Identity } from "../../core/timeline/identity.ts"
import * as Spender from "../../core/trade/spender.ts"
import { tokenApprove } from "../../core/trade/token-approve.ts"
import { refund } from "../../core/transfers/refund.ts"
import { send } from "../../core/transfers/send.ts"
import * as Value from "./chain-values.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import * as Stored from "./stored-rows.ts"

export const chainId = "local"
const somewhere = chainId
export const amountMicro = Usdc.make(12_500_000n)

export interface Over {
  readonly accountId?: string
  /** The sandbox's EVM chain, when left out. */
  readonly chainId?: string
  /** The derived id of the key it is paid with; a fresh one when left out. */
  readonly keyId?: string
  readonly recipient?: Partial<Recipient>
  readonly proposal?: Partial<Proposal>
  /** What a send carries on the chain, by its terms. */
  readonly onChainMemo?: string
  /** What is reserved; nothing, when it is null. */
  readonly reservedMicro?: bigint | null
  /** What is claimed of the deposit a refund sends back; nothing, when it is null. A send has none. */
  readonly claimedMicro?: bigint | null
}

const usdc = Chains.use(({ connected }) => Effect.succeed((connected[0] as Connected).usdc))

/** A wallet of the account whose address is that of its key. */
export const aWallet = Effect.fnUntraced(function* (
  accountId: string,
  keyId = Rows.aKeyId(),
  chainId = somewhere
) {
  const { addressOf, open } = yield* WalletKeys
  const { key } = yield* open(chainId, keyId)
  const address = yield* addressOf(chainId, key)
  return yield* Stored.wallet(accountId, { chainId, key, address })
})

/** An executing proposal with all it stands on, and the order to sign for it. */
export const signable = Effect.fnUntraced(function* (over: Over = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const { chainId = somewhere } = over
  const wallet = yield* aWallet(accountId, over.keyId, chainId)
  // Nothing is proposed to one that was revoked, so it is revoked afterwards.
  const isRevoked = over.recipient?.status === "revoked"
  const recipient = yield* Stored.recipient(accountId, {
    chainId,
    ...over.recipient,
    status: isRevoked ? "approved" : (over.recipient?.status ?? "approved")
  })
  const isRefund = over.claimedMicro !== undefined
  const deposit = Rows.aTransfer(wallet, {
    state: "final",
    finalAt: Rows.at(2),
    amountMicro: 2n ** 60n
  })
  const payment = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    recipientId: recipient.id,
    toAddress: recipient.address,
    chainId,
    amountSmallestUnit: amountMicro
  }
  const refunding = { ...payment, depositId: deposit.id, paymentRequestId: null, isToPayer: false }
  const terms = yield* Effect.orDie(
    isRefund
      ? Schema.encodeUnknownEffect(Schema.toCodecJson(refund.terms))(refunding)
      : Schema.encodeUnknownEffect(Schema.toCodecJson(send.terms))({
          ...payment,
          memo: null,
          ...(over.onChainMemo === undefined ? {} : { onChainMemo: over.onChainMemo })
        })
  )
  const draft = SendingRows.aProposal(accountId, {
    kind: isRefund ? "refund" : "send",
    status: "executing",
    terms: terms as Proposal["terms"],
    recipientId: recipient.id
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  const proposal = yield* Stored.proposal({ ...draft, intentHash, ...over.proposal })
  if (isRevoked) yield* (yield* Recipients).revise({ ...recipient, status: "revoked" })
  const reservedMicro = over.reservedMicro === undefined ? amountMicro : over.reservedMicro
  if (reservedMicro !== null) {
    const reservation = SendingRows.aReservation(proposal, { amountMicro: reservedMicro })
    yield* (yield* Spending).reserve(reservation, SendingRows.limits())
  }
  if (typeof over.claimedMicro === "bigint") {
    yield* (yield* Transfers).record(deposit)
    const { claimedMicro } = over
    const meant = { proposalId: proposal.id, accountId, transferIds: [deposit.id] }
    yield* (yield* Refunds).claim({
      ...meant,
      amountMicro: Usdc.make(claimedMicro),
      at: Rows.at(3)
    })
  }
  const order: Order = {
    act: "transfer",
    call: null,
    proposalId: proposal.id,
    identity: (yield* Identity).derive(ofProposal(proposal)),
    accountId,
    walletId: wallet.id,
    key: wallet.key,
    chainId,
    from: Address.keyOf(wallet.chainId, wallet.address),
    to: Address.keyOf(chainId, recipient.address),
    amount: { token: { chainId, address: yield* usdc }, units: amountMicro },
    validBefore: 2_000_000_000
  }
  return { order, proposal, wallet, recipient }
})

export interface OverApproval {
  readonly accountId?: string
  /** The derived id of the wallet's key; a fresh one when left out. */
  readonly keyId?: string
  readonly terms?: Partial<(typeof tokenApprove.terms)["Type"]>
  readonly proposal?: Partial<Proposal>
}

/** An executing approval with its wallet, and the order to sign for it: what its terms say. */
export const signableApproval = Effect.fnUntraced(function* (over: OverApproval = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const wallet = yield* aWallet(accountId, over.keyId)
  const meant = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId,
    tokenAddress: Address.shown(chainId, yield* usdc),
    flow: "intent_swap" as const,
    spender: Spender.find("intent_swap", chainId)?.address as Address.Address,
    symbol: "USDC",
    decimals: 6,
    amountSmallestUnit: amountMicro,
    worthMicroUsd: Usdc.toUsd(amountMicro),
    approvedBy: "permit" as const,
    byWayOfZero: false,
    ...over.terms
  }
  const terms = yield* Effect.orDie(
    Schema.encodeUnknownEffect(Schema.toCodecJson(tokenApprove.terms))(meant)
  )
  const draft = SendingRows.aProposal(accountId, {
    kind: "token_approve",
    status: "executing",
    terms: terms as Proposal["terms"]
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  const proposal = yield* Stored.proposal({ ...draft, intentHash, ...over.proposal })
  const order: Order = {
    act: "permit",
    call: null,
    proposalId: proposal.id,
    identity: (yield* Identity).derive(ofProposal(proposal)),
    accountId,
    walletId: wallet.id,
    key: wallet.key,
    chainId,
    from: Address.keyOf(wallet.chainId, wallet.address),
    to: Value.key(meant.spender),
    amount: {
      token: { chainId, address: Value.key(meant.tokenAddress) },
      units: meant.amountSmallestUnit
    },
    validBefore: 2_000_000_000
  }
  return { order, proposal, wallet }
})
