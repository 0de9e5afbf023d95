/**
 * Expires requests whose time is over and for which nothing is on its way. The judge of time is the
 * chain: its cursor must have passed a final block stamped after the expiry, as several blocks may share
 * one timestamp. An outage or a lagging watcher only postpones; money that came in time is never expired.
 */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { expireAll, maxAtOnce } from "../background/chore.ts"
import * as Announce from "./announce.ts"
import { received, rewrite } from "./recompute.ts"
import { PaymentRequests } from "./request-store.ts"
import { Cursors, Transfers } from "./transfer-store.ts"

/** Final money of a request that expired half paid stands as deposits the merchant resolves. */
const setAside = Effect.fnUntraced(function* (requestId: string, pid: string) {
  const transfers = yield* Transfers
  for (const transfer of yield* transfers.ofRequest(requestId)) {
    if (transfer.state === "final") {
      yield* transfers.assign(transfer.id, {
        requestId: null,
        method: transfer.method,
        settlementIssue: "underpaid",
        candidatePids: [pid],
        resolution: null
      })
    }
  }
})

const expireOne = Effect.fnUntraced(function* (id: string) {
  const requests = yield* PaymentRequests
  // Another replica that is at it is not waited for.
  const request = yield* requests.lockFree(id)
  if (request === undefined) return false
  if (request.status !== "open" && request.status !== "partially_paid") return false
  const cursor = yield* (yield* Cursors).find(request.chainId)
  if (cursor === undefined) return false
  if (DateTime.isLessThanOrEqualTo(cursor.finalTime, request.expiresAt)) return false
  const coming = received(yield* (yield* Transfers).ofRequest(id))
  if (coming.inFlightMicro > 0n) return false
  const expired = {
    ...request,
    status: "expired" as const,
    settlementIssue: coming.finalMicro > 0n ? ("underpaid" as const) : ("none" as const),
    updatedAt: yield* DateTime.now
  }
  yield* rewrite(expired)
  if (coming.finalMicro > 0n) yield* setAside(id, request.pid)
  yield* record({
    accountId: request.accountId,
    actor: system,
    action: "payment_request.expired",
    subjectType: "payment_request",
    subjectId: id,
    facts: { pid: request.pid }
  })
  yield* Announce.expired(expired)
  return true
})

/**
 * Expires what is due, one transaction each, and says how many; one that fails holds up no other. Harmless
 * on every replica at once: they share what is due.
 */
export const expireDue = Effect.gen(function* () {
  const finalTimes = yield* (yield* Cursors).all
  if (finalTimes.length === 0) return 0
  return yield* expireAll(
    "Expiring a payment request",
    (yield* PaymentRequests).overdue(finalTimes, maxAtOnce),
    expireOne
  )
})
