/** Queues, claims and concludes deliveries at times a test names; the queue is one for all accounts. */
import { Effect } from "effect"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { Deliveries, type LeasedDelivery } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

export const claimAt = (seconds: number, most = 100, maxPerEndpoint = 4) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    deliveries.claim({
      now: Rows.at(seconds),
      leaseMs: 30_000,
      most,
      maxPerEndpoint,
      maxWhileFailing: 1
    })
  )

export const delivered = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "delivered",
  attemptCount: delivery.attemptCount + 1,
  nextAttemptAt: null,
  lastResponseStatus: 200,
  deliveredAt: Rows.at(2)
})

export const concludeAsDelivered = Effect.fnUntraced(function* (claimed: LeasedDelivery) {
  const { delivery, lease } = claimed
  const attempt = Rows.anAttempt({ n: delivery.attemptCount + 1 })
  return yield* (yield* Deliveries).conclude(lease, delivered(delivery), attempt)
})

/** The queue is one for all accounts: what earlier tests left in it is done away with first. */
export const emptyQueue = Effect.gen(function* () {
  yield* (yield* Deliveries).skipStranded(1000)
  let left = yield* claimAt(50_000_000, 1000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, concludeAsDelivered, { discard: true })
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
