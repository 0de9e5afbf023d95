/**
 * What a payment webhook says of a request: every field of the spec's data.object (section 6), null
 * where it has no value, so that a receiver never has to ask whether a field is there.
 */
import { DateTime, Effect, type Schema } from "effect"
import * as Address from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { Deployment } from "../operation/deployment.ts"
import { emit, emitAll, type Subject } from "../webhooks/emit.ts"
import type { PaymentRequest } from "./request.ts"
import type { Method } from "./transfer.ts"
import { paymentUrl } from "./view.ts"

const iso = (time: DateTime.Utc | null) => (time === null ? null : DateTime.formatIso(time))

const settlementOf = (request: PaymentRequest) =>
  request.txHash === null || request.paidAt === null
    ? null
    : { txHash: request.txHash, settledAt: iso(request.paidAt), method: request.method }

/** As people write addresses on its chain, which is how `payToAddress` stands beside it. */
const payerOf = ({ chainId, method, payerAddress }: PaymentRequest) =>
  payerAddress === null ? null : { address: Address.shown(chainId, payerAddress), method }

export const objectOf = (request: PaymentRequest): Schema.JsonObject => ({
  paymentRequestPid: request.pid,
  status: request.status,
  amountUsd: Usdc.format(request.amountMicro),
  amountSmallestUnit: request.amountMicro.toString(),
  assetSymbol: "USDC",
  tokenDecimals: Usdc.decimals,
  chainId: request.chainId,
  payToAddress: request.payToAddress,
  vaultId: request.vaultId,
  customer: request.customer === null ? null : { ...request.customer },
  checkoutSessionId: request.checkoutSessionId,
  product: request.product === null ? null : { ...request.product },
  externalReference: request.externalReference,
  metadata: request.metadata as Schema.JsonObject,
  expiresAt: iso(request.expiresAt),
  requestCreatedAt: iso(request.createdAt),
  paidAt: iso(request.paidAt),
  txHash: request.txHash,
  method: request.method,
  payer: payerOf(request),
  settlement: settlementOf(request)
})

const subjectOf = (request: PaymentRequest, about: ReadonlyArray<string> = []): Subject => {
  const { accountId, createdAt: madeAt, pid, vaultId } = request
  return { accountId, pid, vaultId, madeAt, about }
}

const tell = (
  type: Parameters<typeof emit>[0],
  request: PaymentRequest,
  more: Schema.JsonObject = {},
  about: ReadonlyArray<string> = []
) => emit(type, subjectOf(request, about), { ...objectOf(request), ...more })

/** A checkout session was minted; the only kind of creation that is announced. */
export const created = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { siteUrl } = yield* Deployment
  const checkoutUrl = paymentUrl(siteUrl, request.pid)
  return yield* tell("payment_request.created", request, { checkoutUrl })
})

export const paid = (request: PaymentRequest) => tell("payment_request.paid", request)

export const allExpired = (requests: ReadonlyArray<PaymentRequest>) =>
  emitAll(
    "payment_request.expired",
    requests.map((request) => ({ subject: subjectOf(request), data: objectOf(request) }))
  )

/** A payment was rejected, which is known by a name that outlives the records; the request is unchanged. */
export const paymentFailed = (
  request: PaymentRequest,
  failure: { readonly reason: string; readonly method: Method },
  payment: string
) => tell("payment_request.payment_failed", request, { failure }, [failure.reason, payment])
