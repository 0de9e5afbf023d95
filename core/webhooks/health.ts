/**
 * How an endpoint fares. It is failing once five attempts in a row have failed over a minute or more, and
 * active again with the next that succeeds. A failing endpoint is sent one delivery at a time instead of
 * four: what is due waits, and no attempt is counted that was not made.
 */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import type { Attempt, Delivery } from "./delivery.ts"
import { Deliveries, type LeasedDelivery } from "./delivery-store.ts"
import { hasFailed } from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"

/** How many deliveries of a failing endpoint may be at work, over all replicas. */
export const maxWhileFailing = 1

const recordHealth = ({ accountId, endpointId }: Delivery, action: string, facts = {}) =>
  record({
    accountId,
    actor: system,
    action,
    subjectType: "merchant_webhook",
    subjectId: endpointId,
    facts
  })

const noteFailure = Effect.fnUntraced(function* (delivery: Delivery) {
  const endpoints = yield* WebhookEndpoints
  const now = yield* DateTime.now
  const health = yield* endpoints.noteFailure(delivery.endpointId, now)
  if (!hasFailed(health, now)) return
  yield* endpoints.noteFailing(delivery.endpointId, now)
  yield* recordHealth(delivery, "merchant_webhook.failing", {
    failures: String(health.failures),
    lastError: delivery.lastError ?? ""
  })
})

const noteSuccess = Effect.fnUntraced(function* (delivery: Delivery) {
  const wasFailing = yield* (yield* WebhookEndpoints).noteSuccess(delivery.endpointId)
  if (!wasFailing) return
  yield* recordHealth(delivery, "merchant_webhook.healthy")
  // There are more places from now on.
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("deliveries"))
})

/**
 * Concludes an attempt together with what it says of the endpoint; false when the lease is not current. One
 * that succeeds at an endpoint without failures says nothing new, and 410 is an answer about one delivery.
 */
export const conclude = Effect.fnUntraced(function* (
  claimed: LeasedDelivery,
  delivery: Delivery,
  attempt: Attempt
) {
  const ended = (yield* Deliveries).conclude(claimed.lease, delivery, attempt)
  const isDelivered = delivery.status === "delivered"
  if (delivery.status === "gone" || (isDelivered && !claimed.isAiling)) return yield* ended
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      if (!(yield* ended)) return false
      yield* isDelivered ? noteSuccess(delivery) : noteFailure(delivery)
      return true
    })
  )
})
