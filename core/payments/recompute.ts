/**
 * Recomputes a request from the transfers credited to it: when they are seen, final or reorganised (contract,
 * Payment requests). The status is a function of the transfers, so repeating it changes nothing.
 */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import * as Usdc from "../money/usdc.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { type Settlement, standing as standingSettlements } from "../x402/settlement.ts"
import * as Announce from "./announce.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import { isPayable, issueOf, type Received, statusFor } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

const sum = (transfers: ReadonlyArray<Transfer>) =>
  Usdc.sum(transfers.map(({ amountMicro }) => amountMicro))

/**
 * What transfers add up to, and settlements on their way that are no transfer yet; what was reorganised
 * away counts for nothing, unless its settlement may still bring it.
 */
export const received = (
  transfers: ReadonlyArray<Transfer>,
  settlements: ReadonlyArray<Settlement> = []
): Received => {
  const standing = transfers.filter((transfer) => transfer.state !== "reorged")
  const stands = (id: string | null) => standing.some((transfer) => transfer.id === id)
  const coming = settlements
    .filter(({ outcome, transferId }) =>
      outcome === "paid" ? transferId === null : !stands(transferId)
    )
    .map(({ authorization }) => authorization.amountMicro)
  return {
    finalMicro: sum(standing.filter((transfer) => transfer.state === "final")),
    inFlightMicro: Usdc.add(
      sum(standing.filter((transfer) => transfer.state === "seen")),
      Usdc.sum(coming)
    )
  }
}

/** The request as its transfers and settlements make it, pure. */
export const recomputed = (
  request: PaymentRequest,
  transfers: ReadonlyArray<Transfer>,
  now: DateTime.Utc,
  settlements: ReadonlyArray<Settlement> = []
): PaymentRequest => {
  const newest = transfers.filter((transfer) => transfer.state !== "reorged").at(-1)
  const got = received(transfers, settlements)
  const status = statusFor(request.amountMicro, got)
  return {
    ...request,
    status,
    receivedMicro: got.finalMicro,
    settlementIssue: status === "paid" ? issueOf(request.amountMicro, got.finalMicro) : "none",
    txHash: newest?.txHash ?? null,
    method: newest?.method ?? null,
    payerAddress: newest?.payerAddress ?? null,
    paidAt: status === "paid" ? now : null,
    wasAttempted: request.wasAttempted || transfers.length > 0 || settlements.length > 0,
    updatedAt: now
  }
}

/**
 * The open amount of a request, in smallest units: the amount less what was seen and what was signed for it.
 * Zero once the request is closed.
 */
export const owedMicro = Effect.fnUntraced(function* (request: PaymentRequest) {
  if (!isPayable(request.status)) return Usdc.zero
  const { finalMicro, inFlightMicro } = received(
    yield* (yield* Transfers).ofRequest(request.id),
    yield* standingSettlements([request.id])
  )
  return Usdc.missing(request.amountMicro, Usdc.add(finalMicro, inFlightMicro))
})

/** Writes a locked request back, and tells whoever keeps what it looked like once that is committed. */
export const rewrite = Effect.fnUntraced(function* (request: PaymentRequest) {
  yield* (yield* PaymentRequests).settle(request)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("requests"))
})

/** The same of several at once. */
export const rewriteAll = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  yield* (yield* PaymentRequests).settleAll(requests)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("requests"))
})

const alarm = (request: PaymentRequest) =>
  Effect.logError(
    `A final payment of the paid request ${request.pid} was dropped by a reorganisation; the request stays paid. Check it by hand.`
  )

/** Brings a locked request up to date with its transfers, and says so when that paid it. */
export const recomputeLocked = Effect.fnUntraced(function* (request: PaymentRequest) {
  const transfers = yield* (yield* Transfers).ofRequest(request.id)
  const now = yield* DateTime.now
  const settlements = yield* standingSettlements([request.id])
  const next = recomputed(request, transfers, now, settlements)
  if (request.status === "paid") {
    if (next.receivedMicro < request.amountMicro) yield* alarm(request)
    else if (next.receivedMicro !== request.receivedMicro) {
      const paid = { ...next, txHash: request.txHash, paidAt: request.paidAt }
      yield* rewrite(paid)
      return paid
    }
    return request
  }
  if (!isPayable(request.status)) return request
  if (next.status === request.status && next.receivedMicro === request.receivedMicro) return request
  yield* rewrite(next)
  yield* record({
    accountId: request.accountId,
    actor: system,
    action: `payment_request.${next.status}`,
    subjectType: "payment_request",
    subjectId: request.id,
    facts: { pid: request.pid, from: request.status, received: next.receivedMicro.toString() }
  })
  if (next.status === "paid") yield* Announce.paid(next)
  return next
})

/** The same of one that may be locked by nobody yet. */
export const recomputeRequest = Effect.fnUntraced(function* (requestId: string) {
  const request = yield* (yield* PaymentRequests).lock(requestId)
  if (request !== undefined) yield* recomputeLocked(request)
})
