/** Queues, claims and concludes deliveries at times a test names; the queue is one for all accounts. */
import { Effect } from "effect"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import {
  Deliveries,
  type HeldEndpoint,
  type LeasedDelivery
} from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

/** Takes every free endpoint under a lease of thirty seconds, and asks for more of what is held already. */
export const claimAt = (
  seconds: number,
  most = 100,
  maxPerEndpoint = 4,
  held: ReadonlyArray<HeldEndpoint> = []
) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    deliveries.claim({
      now: Rows.at(seconds),
      leaseMs: 30_000,
      held,
      most,
      part: 1,
      maxPerEndpoint,
      maxWhileFailing: 1
    })
  )

/** The endpoints of what was handed out, with all of it in hand; each wants so many more. */
export const heldBy = (
  claimed: ReadonlyArray<LeasedDelivery>,
  wanted = 0
): ReadonlyArray<HeldEndpoint> =>
  [...Map.groupBy(claimed, ({ lease }) => lease)].map(([lease, rows]) => ({
    id: rows[0]?.delivery.endpointId ?? "",
    lease,
    inHand: rows.map(({ delivery }) => delivery.id),
    wanted
  }))

export const delivered = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "delivered",
  attemptCount: delivery.attemptCount + 1,
  nextAttemptAt: null,
  lastResponseStatus: 200,
  deliveredAt: Rows.at(2)
})

/** Without `releases`, the endpoint stays held. */
export const concludeAsDelivered = Effect.fnUntraced(function* (
  claimed: LeasedDelivery,
  releases = false
) {
  const { delivery, lease } = claimed
  const attempt = Rows.anAttempt({ n: delivery.attemptCount + 1 })
  return yield* (yield* Deliveries).conclude(lease, delivered(delivery), attempt, releases)
})

/** Its last attempt has failed. */
export const concludeAsFailed = Effect.fnUntraced(function* ({ delivery, lease }: LeasedDelivery) {
  const attempt = Rows.anAttempt({ n: delivery.attemptCount + 1, responseStatus: 500 })
  const failed: Delivery = {
    ...delivery,
    status: "failed",
    attemptCount: delivery.attemptCount + 1,
    nextAttemptAt: null
  }
  return yield* (yield* Deliveries).conclude(lease, failed, attempt)
})

/** The queue is one for all accounts: what earlier tests left in it is done away with first. */
export const emptyQueue = Effect.gen(function* () {
  yield* (yield* Deliveries).skipStranded(1000)
  let left = yield* claimAt(50_000_000, 1000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, (each) => concludeAsDelivered(each), { discard: true })
    yield* (yield* Deliveries).release(heldBy(left))
    left = yield* claimAt(50_000_000, 1000, 1000)
  }
})

export const anEndpoint = Effect.fnUntraced(function* (over: Partial<Endpoint> = {}) {
  return yield* Stored.endpoint((yield* Stored.account()).id, over)
})

/** Queues a delivery of its own event to the endpoint for each of these due times. */
export const queued = Effect.fnUntraced(function* (endpoint: Endpoint, due: ReadonlyArray<number>) {
  const rows = yield* Effect.forEach(due, (seconds) =>
    Effect.map(Stored.event(endpoint.accountId), (event) =>
      Rows.aDelivery(event, endpoint, { nextAttemptAt: Rows.at(seconds) })
    )
  )
  yield* (yield* Deliveries).enqueue(rows)
  return rows
})

export const claimedIds = (claimed: ReadonlyArray<LeasedDelivery>) =>
  claimed.map(({ delivery }) => delivery.id)
