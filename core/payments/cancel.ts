/** Cancels a payment request that no money has reached, and extends one that may still be paid. */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { expectMoney } from "./expect.ts"
import { find, IdOrPid } from "./find.ts"
import { rewrite } from "./recompute.ts"
import { AlreadySettled, type PaymentRequest, PaymentRequestNotOpen } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import type { Status } from "./status.ts"
import { ExpiryDays } from "./terms.ts"
import * as View from "./view.ts"

/** The request locked and in one of the statuses, or the refusal that says what stands in the way. */
export const lockIn = Effect.fnUntraced(function* (
  idOrPid: string,
  verb: string,
  statuses: ReadonlyArray<Status>
) {
  const { id } = yield* find(idOrPid)
  const request = (yield* (yield* PaymentRequests).lock(id)) as PaymentRequest
  const details = { pid: request.pid, status: request.status }
  if (request.status === "expired" || request.status === "cancelled") {
    return yield* new PaymentRequestNotOpen({
      message: `This payment request is ${request.status} and cannot be ${verb}; create a new one.`,
      details,
      next: {
        operation: "create_payment_request",
        args: {
          walletMappingId: request.vaultId,
          amountSmallestUnit: String(request.amountMicro)
        }
      }
    })
  }
  if (!statuses.includes(request.status)) {
    return yield* new AlreadySettled({
      message: `A payment for this request has arrived or is pending (${request.status}), so it cannot be ${verb}.`,
      details,
      next: { operation: "get_payment_request", args: { idOrPid: request.pid } }
    })
  }
  return request
})

export const cancelPaymentRequest = Operation.make("cancel_payment_request", {
  summary: "Cancels an open payment request. Not possible once a payment for it was detected.",
  next: "list_deposits lists later payments as late; they pay nothing until resolve_deposit assigns them.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { idOrPid: IdOrPid },
  output: { acknowledged: Schema.Boolean, ...View.fields },
  refusals: [NotFound, PaymentRequestNotOpen, AlreadySettled],
  example: { input: { idOrPid: "pr_4fzQx0aB7cDeFgHiJkLmNo" } },
  handle: Effect.fnUntraced(function* ({ idOrPid }) {
    const request = yield* lockIn(idOrPid, "cancelled", ["open"])
    const updatedAt = yield* DateTime.now
    const cancelled: PaymentRequest = { ...request, status: "cancelled", updatedAt }
    yield* rewrite(cancelled)
    yield* record({
      accountId: request.accountId,
      actor: (yield* Caller).keyId,
      action: "payment_request.cancelled",
      subjectType: "payment_request",
      subjectId: request.id,
      facts: { pid: request.pid }
    })
    return { acknowledged: true, ...(yield* View.view(cancelled)) }
  })
})

/**
 * Moves the expiry of a payment request that still waits for money to a number of days from now. One that has
 * part of its money may have more time too; one with money on its way is settled first.
 */
export const extendPaymentRequest = Operation.make("extend_payment_request", {
  summary: "Moves the expiry of an open or partly paid payment request to now plus expiryDays.",
  next: "The link and the QR payload stay the same.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { idOrPid: IdOrPid, expiryDays: ExpiryDays },
  output: View.fields,
  refusals: [NotFound, PaymentRequestNotOpen, AlreadySettled],
  example: { input: { idOrPid: "pr_4fzQx0aB7cDeFgHiJkLmNo", expiryDays: 14 } },
  handle: Effect.fnUntraced(function* ({ idOrPid, expiryDays }) {
    const request = yield* lockIn(idOrPid, "extended", ["open", "partially_paid"])
    const now = yield* DateTime.now
    const extended = {
      ...request,
      expiresAt: DateTime.add(now, { days: expiryDays }),
      updatedAt: now
    }
    yield* rewrite(extended)
    yield* expectMoney(extended)
    yield* record({
      accountId: request.accountId,
      actor: (yield* Caller).keyId,
      action: "payment_request.extended",
      subjectType: "payment_request",
      subjectId: request.id,
      facts: { pid: request.pid, expiresAt: DateTime.formatIso(extended.expiresAt) }
    })
    return yield* View.view(extended)
  })
})
