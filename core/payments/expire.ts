/**
 * Expires requests whose time is over and for which nothing is on its way. The judge of time is the
 * chain: its cursor must have passed a final block stamped after the expiry, as several blocks may share
 * one timestamp. An outage or a lagging watcher only postpones; money that came in time is never expired.
 */
import { DateTime, Effect } from "effect"
import { recordAll, system } from "../audit/record.ts"
import { expireAll, maxAtOnce, type Shares } from "../background/chore.ts"
import { askTogether } from "../ports/together.ts"
import * as Announce from "./announce.ts"
import { received, rewriteAll } from "./recompute.ts"
import type { PaymentRequest } from "./request.ts"
import { type FinalTime, PaymentRequests } from "./request-store.ts"
import { setAside } from "./set-aside.ts"
import { Cursors, Transfers } from "./transfer-store.ts"

/** Three hundred are held at once, for a tenth of a second or two: a payment to one of them waits no longer. */
const shares: Shares = { rows: 100, atOnce: 3 }

const isOver = (
  { chainId, expiresAt, status }: PaymentRequest,
  finalTimes: ReadonlyArray<FinalTime>
): boolean => {
  if (status !== "open" && status !== "partially_paid") return false
  const final = finalTimes.find((each) => each.chainId === chainId)
  return final !== undefined && DateTime.isGreaterThan(final.finalTime, expiresAt)
}

/** Expires those of some requests that are over, and says how many; what another replica is at is not waited for. */
const expireSome = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const free = yield* (yield* PaymentRequests).lockFree(ids)
  if (free.length === 0) return 0
  const lockedIds = free.map(({ id }) => id)
  const [finalTimes, transfers] = yield* askTogether([
    (yield* Cursors).all,
    (yield* Transfers).ofRequests(lockedIds)
  ])
  const creditedTo = Map.groupBy(transfers, ({ requestId }) => requestId)
  const updatedAt = yield* DateTime.now
  const expired = free
    .filter((request) => isOver(request, finalTimes))
    .map((request) => {
      const credited = creditedTo.get(request.id) ?? []
      return { request, credited, coming: received(credited) }
    })
    .filter(({ coming }) => coming.inFlightMicro === 0n)
    .map(({ coming, credited, request }) => ({
      credited,
      request: {
        ...request,
        status: "expired" as const,
        settlementIssue: coming.finalMicro > 0n ? ("underpaid" as const) : ("none" as const),
        updatedAt
      }
    }))
  if (expired.length === 0) return 0
  const requests = expired.map(({ request }) => request)
  yield* rewriteAll(requests)
  for (const { credited, request } of expired) yield* setAside(request.pid, credited)
  yield* recordAll(
    requests.map(({ accountId, id, pid }) => ({
      accountId,
      actor: system,
      action: "payment_request.expired",
      subjectType: "payment_request",
      subjectId: id,
      facts: { pid }
    }))
  )
  yield* Announce.allExpired(requests)
  return expired.length
})

/**
 * Expires what is due, some in each transaction, and says how many; one that fails holds up no other. Harmless
 * on every replica at once: they share what is due.
 */
export const expireDue = Effect.gen(function* () {
  const finalTimes = yield* (yield* Cursors).all
  if (finalTimes.length === 0) return 0
  return yield* expireAll(
    "Expiring payment requests",
    (yield* PaymentRequests).overdue(finalTimes, maxAtOnce),
    expireSome,
    shares
  )
})
