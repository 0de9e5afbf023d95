/**
 * What money counted for when its refund was proposed. A refund is done only while that still holds, so money
 * that has come to pay for something since then never goes back by an older decision.
 */
import { Effect, Schema } from "effect"
import type { Source } from "./received.ts"
import { PaymentRequests } from "./request-store.ts"
import { Status } from "./status.ts"
import { Resolution } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export const CountedFor = Schema.Struct({
  /** The request it was credited to, and how that stood; null for a deposit that counts for none. */
  paymentRequestId: Schema.NullOr(Schema.String),
  paymentRequestStatus: Schema.NullOr(Status),
  resolution: Schema.NullOr(Resolution)
})
export type CountedFor = typeof CountedFor.Type

/** Undefined when the account has no such money. */
export const current = Effect.fnUntraced(function* (
  accountId: string,
  { depositId, paymentRequestId }: Source
) {
  const deposit =
    depositId === null ? undefined : yield* (yield* Transfers).find(accountId, depositId)
  if (depositId !== null && deposit === undefined) return undefined
  const requestId = deposit === undefined ? paymentRequestId : deposit.requestId
  const request =
    requestId === null ? undefined : yield* (yield* PaymentRequests).find(accountId, requestId)
  if (depositId === null && request === undefined) return undefined
  const counted: CountedFor = {
    paymentRequestId: request?.id ?? null,
    paymentRequestStatus: request?.status ?? null,
    resolution: deposit?.resolution ?? null
  }
  return counted
})

/** The same, kept from changing until the transaction ends: the request locked first, as all do who credit money. */
export const locked = Effect.fnUntraced(function* (accountId: string, source: Source) {
  const seen = yield* current(accountId, source)
  const requestId = seen?.paymentRequestId ?? null
  if (requestId !== null) yield* (yield* PaymentRequests).lock(requestId)
  if (source.depositId !== null) yield* (yield* Transfers).lock(accountId, source.depositId)
  return yield* current(accountId, source)
})

export const isSame = (one: CountedFor | undefined, other: CountedFor | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.paymentRequestId === other.paymentRequestId &&
  one.paymentRequestStatus === other.paymentRequestStatus &&
  one.resolution === other.resolution
