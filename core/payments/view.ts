/**
 * A payment request as REST, tools and functions return it, with derived fields: links, QR payload, open
 * amount, and each transfer credited to it as an attempt.
 */

import { type DateTime, Effect, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { Address, families, shown, TransactionId } from "../chains/address.ts"
import type { WalletCall } from "../chains/family.ts"
import * as Usdc from "../money/usdc.ts"
import { Deployment } from "../operation/deployment.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as RefundShare from "./refund-ledger.ts"
import { Refunds } from "./refund-ledger.ts"
import { type PaymentRequest, remainingMicro } from "./request.ts"
import { SettlementIssue, Status } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { Cursors, Transfers } from "./transfer-store.ts"

export const Method = Schema.Literals(["direct", "checkout", "x402"])

export const Attempt = Schema.Struct({
  id: Schema.String,
  method: Method,
  status: Schema.Literals(["seen", "confirmed", "final", "reorged"]),
  txHash: TransactionId,
  logIndex: Schema.Int,
  amountSmallestUnit: Usdc.SmallestUnits,
  payerAddress: Address,
  blockNumber: Schema.Int,
  confirmations: Schema.Int,
  seenAt: Timestamp.Encoded,
  settledAt: Schema.NullOr(Timestamp.Encoded),
  reason: Schema.NullOr(Schema.String)
})

const confirmationsOf = (transfer: Transfer, head: number | undefined) =>
  head === undefined || transfer.state === "reorged"
    ? 0
    : Math.max(0, head - transfer.blockNumber + 1)

/** `seen` is the block's own confirmation, `confirmed` more than that, `final` the chain's rule. */
const statusOf = (transfer: Transfer, confirmations: number) =>
  transfer.state === "seen" && confirmations > 1 ? "confirmed" : transfer.state

export const attemptView = (transfer: Transfer, head: number | undefined): typeof Attempt.Type => {
  const confirmations = confirmationsOf(transfer, head)
  const settledAt: DateTime.Utc | null = transfer.finalAt
  return {
    id: transfer.id,
    method: transfer.method,
    status: statusOf(transfer, confirmations),
    txHash: transfer.txHash,
    logIndex: transfer.logIndex,
    amountSmallestUnit: transfer.amountMicro,
    payerAddress: shown(transfer.chainId, transfer.payerAddress),
    blockNumber: transfer.blockNumber,
    confirmations,
    seenAt: transfer.seenAt,
    settledAt,
    reason: transfer.state === "reorged" ? "its block was dropped by a reorganisation" : null
  }
}

export const Customer = Schema.Struct({ externalId: Schema.String, namespace: Schema.String })

export const Product = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  externalSkuId: Schema.String
})

export const fields = {
  id: Schema.String,
  pid: Schema.String,
  status: Status,
  amountSmallestUnit: Usdc.SmallestUnits,
  amountUsd: Usdc.Decimal,
  amountReceivedSmallestUnit: Usdc.SmallestUnits,
  amountRemainingSmallestUnit: Usdc.SmallestUnits,
  settlementIssue: SettlementIssue,
  assetSymbol: Schema.String,
  tokenDecimals: Schema.Int,
  chainId: Schema.String,
  payToAddress: Address,
  walletMappingId: Schema.String,
  vaultId: Schema.String,
  description: Schema.NullOr(Schema.String),
  externalReference: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.Json),
  customer: Schema.NullOr(Customer),
  product: Schema.NullOr(Product),
  checkoutSessionId: Schema.NullOr(Schema.String),
  paymentUrl: Schema.String,
  qrPayload: Schema.String,
  expiresAt: Timestamp.Encoded,
  createdAt: Timestamp.Encoded,
  paidAt: Schema.NullOr(Timestamp.Encoded),
  txHash: Schema.NullOr(TransactionId),
  method: Schema.NullOr(Method),
  attempts: Schema.Array(Attempt),
  ...RefundShare.fields
}

export type View = Schema.Struct<typeof fields>["Type"]

/** The shareable link; for a checkout session it is the checkout link. */
export const paymentUrl = (siteUrl: string, pid: string): string => `${siteUrl}/pay/${pid}`

const qrPayload = (request: PaymentRequest, { chains, merchants }: Shown) => {
  const connected = chains.connected.find((each) => each.chain.id === request.chainId)
  const remaining = remainingMicro(request)
  return connected === undefined
    ? request.payToAddress
    : paymentUri(
        connected,
        request,
        remaining > 0n ? remaining : request.amountMicro,
        merchants.get(request.accountId)
      )
}

/** What requests are shown with, whichever they are. */
interface Shown {
  readonly siteUrl: string
  readonly chains: Chains["Service"]
  /** The names of their accounts, where a payment says who asks. */
  readonly merchants: ReadonlyMap<string, string>
}

const shownWith = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const merchants = new Map<string, string>()
  for (const { accountId, reference } of requests) {
    if (reference === null || merchants.has(accountId)) continue
    const account = yield* (yield* Accounts).find(accountId)
    merchants.set(accountId, account?.name ?? "")
  }
  const { siteUrl } = yield* Deployment
  return { siteUrl, chains: yield* Chains, merchants } satisfies Shown
})

const requestView = (
  request: PaymentRequest,
  shown: Shown,
  attempts: View["attempts"],
  shares: ReadonlyArray<RefundShare.Share>
): View => ({
  ...request,
  ...RefundShare.refundsView(shares),
  amountSmallestUnit: request.amountMicro,
  amountUsd: request.amountMicro,
  amountReceivedSmallestUnit: request.receivedMicro,
  amountRemainingSmallestUnit: remainingMicro(request),
  assetSymbol: "USDC",
  tokenDecimals: Usdc.decimals,
  walletMappingId: request.vaultId,
  paymentUrl: paymentUrl(shown.siteUrl, request.pid),
  qrPayload: qrPayload(request, shown),
  attempts
})

/** What was credited to requests; those that nothing ever was are not looked for. */
const creditedTo = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const ids = requests.filter(({ wasAttempted }) => wasAttempted).map(({ id }) => id)
  return ids.length === 0 ? [] : yield* (yield* Transfers).ofRequests(ids)
})

/** Shows requests with their attempts and refunds; four reads, however many requests. */
export const views = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const shown = yield* shownWith(requests)
  const credited = yield* creditedTo(requests)
  const shares =
    credited.length === 0 ? [] : yield* (yield* Refunds).ofTransfers(credited.map(({ id }) => id))
  const cursors = credited.length === 0 ? [] : yield* (yield* Cursors).all
  const heads = new Map(cursors.map((cursor) => [cursor.chainId, cursor.head]))
  const byRequest = Map.groupBy(credited, (transfer: Transfer) => transfer.requestId)
  return requests.map((request) => {
    const transfers = byRequest.get(request.id) ?? []
    const head = heads.get(request.chainId)
    const ids = transfers.map(({ id }) => id)
    return requestView(
      request,
      shown,
      transfers.map((transfer) => attemptView(transfer, head)),
      shares.filter(({ transferId }) => ids.includes(transferId))
    )
  })
})

export const view = (request: PaymentRequest) =>
  Effect.map(views([request]), (shown) => shown[0] as View)

/** Shows a request that was opened in this transaction: nothing can have been paid on it yet. */
export const opened = Effect.fnUntraced(function* (request: PaymentRequest) {
  return requestView(request, yield* shownWith([request]), [], [])
})

/** What a payment is for, as far as whoever pays is told. */
type Asked = Pick<PaymentRequest, "payToAddress" | "reference" | "description" | "pid">

/** What is asked of whoever pays. */
export const paymentOf = ({ chain, usdc }: Connected, request: Asked, amountMicro: Usdc.Usdc) => ({
  chain,
  token: usdc,
  payTo: request.payToAddress,
  units: amountMicro,
  ...(request.reference === null ? {} : { reference: request.reference })
})

/** Undefined where wallets take no such call. */
export const paymentCall = (
  connected: Connected,
  request: Asked,
  amountMicro: Usdc.Usdc
): WalletCall | undefined =>
  families[connected.chain.family].walletCall(paymentOf(connected, request, amountMicro))

/** What a payer's wallet reads from the QR code. */
export const paymentUri = (
  connected: Connected,
  request: Asked,
  amountMicro: Usdc.Usdc,
  merchant: string | undefined
): string =>
  families[connected.chain.family].paymentUri({
    ...paymentOf(connected, request, amountMicro),
    ...(merchant === undefined ? {} : { label: merchant }),
    message: request.description ?? request.pid
  })
