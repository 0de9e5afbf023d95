/**
 * A payment request as REST, tools and functions return it, with derived fields: links, QR payload, open
 * amount, attempts.
 */
import { Effect, Schema } from "effect"
import * as Usdc from "../money/usdc.ts"
import { Deployment } from "../operation/deployment.ts"
import { Chains } from "../ports/chains.ts"
import * as Instant from "../time/timestamp.ts"
import * as Attempt from "./attempt.ts"
import { Cursors } from "./cursor-store.ts"
import { paymentUri } from "./payment-call.ts"
import { Refunds } from "./refund-ledger.ts"
import * as RefundShare from "./refund-share.ts"
import { type PaymentRequest, remainingMicro } from "./request.ts"
import { SettlementIssue, Status } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

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
  payToAddress: Schema.String,
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
  expiresAt: Instant.Shown,
  createdAt: Instant.Shown,
  paidAt: Schema.NullOr(Instant.Shown),
  txHash: Schema.NullOr(Schema.String),
  method: Schema.NullOr(Attempt.Method),
  attempts: Schema.Array(Attempt.Attempt),
  ...RefundShare.fields
}

export type View = Schema.Struct<typeof fields>["Type"]

/** The shareable link; for a checkout session it is the checkout link. */
export const paymentUrl = (siteUrl: string, pid: string): string => `${siteUrl}/pay/${pid}`

const qrPayload = (request: PaymentRequest, chains: Chains["Service"]) => {
  const connected = chains.connected.find((each) => each.chain.id === request.chainId)
  const remaining = remainingMicro(request)
  return connected === undefined
    ? request.payToAddress
    : paymentUri(connected, request.payToAddress, remaining > 0n ? remaining : request.amountMicro)
}

const shown = (
  request: PaymentRequest,
  siteUrl: string,
  chains: Chains["Service"],
  attempts: View["attempts"],
  shares: ReadonlyArray<RefundShare.Share>
): View => ({
  ...request,
  ...RefundShare.shown(shares),
  amountSmallestUnit: request.amountMicro,
  amountUsd: request.amountMicro,
  amountReceivedSmallestUnit: request.receivedMicro,
  amountRemainingSmallestUnit: remainingMicro(request),
  assetSymbol: "USDC",
  tokenDecimals: Usdc.decimals,
  walletMappingId: request.vaultId,
  paymentUrl: paymentUrl(siteUrl, request.pid),
  qrPayload: qrPayload(request, chains),
  attempts
})

/** Shows requests with their attempts and refunds; four reads, however many requests. */
export const views = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const { siteUrl } = yield* Deployment
  const chains = yield* Chains
  const credited = yield* (yield* Transfers).ofRequests(requests.map((request) => request.id))
  const shares =
    credited.length === 0 ? [] : yield* (yield* Refunds).ofTransfers(credited.map(({ id }) => id))
  const cursors = credited.length === 0 ? [] : yield* (yield* Cursors).all
  const heads = new Map(cursors.map((cursor) => [cursor.chainId, cursor.head]))
  const byRequest = Map.groupBy(credited, (transfer: Transfer) => transfer.requestId)
  return requests.map((request) => {
    const transfers = byRequest.get(request.id) ?? []
    const head = heads.get(request.chainId)
    const ids = transfers.map(({ id }) => id)
    return shown(
      request,
      siteUrl,
      chains,
      transfers.map((transfer) => Attempt.view(transfer, head)),
      shares.filter(({ transferId }) => ids.includes(transferId))
    )
  })
})

export const view = (request: PaymentRequest) =>
  Effect.map(views([request]), (shown) => shown[0] as View)

/** Shows a request that was opened in this transaction: nothing can have been paid on it yet. */
export const opened = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { siteUrl } = yield* Deployment
  return shown(request, siteUrl, yield* Chains, [], [])
})
