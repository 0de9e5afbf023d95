/**
 * How an endpoint fares. It is failing once five attempts in a row have failed over a minute or more, and
 * active again with the next that succeeds. A failing endpoint is sent one delivery at a time instead of
 * four: what is due waits, and no attempt is counted that was not made.
 */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import type { Attempt, Delivery } from "./delivery.ts"
import { Deliveries, type LeasedDelivery } from "./delivery-store.ts"
import { hasFailed } from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"

/** How many deliveries of a failing endpoint may be at work, over all replicas. */
export const maxWhileFailing = 1

/** How an endpoint fares as far as its holder knows, who makes all of its attempts. */
export interface Standing {
  /** Whether its last attempt failed. */
  isAiling: boolean
  isFailing: boolean
}

const recordHealth = ({ accountId, endpointId }: Delivery, action: string, facts = {}) =>
  record({
    accountId,
    actor: system,
    action,
    subjectType: "merchant_webhook",
    subjectId: endpointId,
    facts
  })

/** Whether the endpoint is failing with it. */
const noteFailure = Effect.fnUntraced(function* (delivery: Delivery) {
  const endpoints = yield* WebhookEndpoints
  const now = yield* DateTime.now
  const health = yield* endpoints.noteFailure(delivery.endpointId, now)
  if (!hasFailed(health, now)) return health.failingSince !== null
  yield* endpoints.noteFailing(delivery.endpointId, now)
  yield* recordHealth(delivery, "merchant_webhook.failing", {
    failures: String(health.failures),
    lastError: delivery.lastError ?? ""
  })
  const { accountId, endpointId, url } = delivery
  yield* giveNotice({
    accountId,
    type: "endpoint_failing",
    subject: `${endpointId} ${DateTime.formatIso(now)}`,
    role: "approver",
    // Its path may be a secret, and other endpoints and mailboxes are told.
    summary: `The webhook endpoint at ${url.split("/")[2]} does not answer. Its deliveries are repeated for three days.`,
    path: `/console/webhooks/${endpointId}`
  })
  return true
})

const noteSuccess = Effect.fnUntraced(function* (delivery: Delivery) {
  const wasFailing = yield* (yield* WebhookEndpoints).noteSuccess(delivery.endpointId)
  if (!wasFailing) return
  yield* recordHealth(delivery, "merchant_webhook.healthy")
  // There are more places from now on.
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("deliveries"))
})

/**
 * Concludes an attempt together with what it says of the endpoint; false when its result does not count. One
 * that succeeds at an endpoint without failures says nothing new, and 410 is an answer about one delivery.
 */
export const conclude = Effect.fnUntraced(function* (
  { lease }: LeasedDelivery,
  standing: Standing,
  delivery: Delivery,
  attempt: Attempt,
  { releases, written }: { readonly releases: boolean; readonly written: () => void }
) {
  const ended = (yield* Deliveries).conclude(lease, delivery, attempt, releases)
  const isDelivered = delivery.status === "delivered"
  if (delivery.status === "gone" || (isDelivered && !standing.isAiling)) {
    // Whoever is interrupted meanwhile is, once it is written: then it is known that it was.
    return yield* Effect.uninterruptible(Effect.tap(ended, () => Effect.sync(written)))
  }
  // Before it is written: an attempt that succeeds meanwhile must know that there is something to forget.
  if (!isDelivered) standing.isAiling = true
  const after = yield* (yield* Atomically).run(
    Effect.gen(function* () {
      if (!(yield* ended)) return undefined
      if (!isDelivered) return { isAiling: true, isFailing: yield* noteFailure(delivery) }
      yield* noteSuccess(delivery)
      return { isAiling: false, isFailing: false }
    })
  )
  written()
  if (after === undefined) return false
  standing.isFailing = after.isFailing
  return true
})
