/** Mistakes with deliveries: marked too early, concluded too late, signed with yesterday, tried too soon. */
import { DateTime, Effect, Layer } from "effect"
import { Ids } from "../../../core/ports/ids.ts"
import { type WebhookRequest, WebhookSender } from "../../../core/ports/webhook-sender.ts"
import { Deliveries, Events, type LeasedDelivery } from "../../../core/webhooks/delivery-store.ts"
import { type Bug, over } from "./bug.ts"

export const markedBeforePost: Bug = {
  name: "delivery marked before the POST",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Deliveries,
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const mark = ({ delivery, lease }: LeasedDelivery) =>
            Effect.flatMap(DateTime.now, (now) =>
              deliveries.conclude(
                lease,
                {
                  ...delivery,
                  status: "delivered",
                  attemptCount: delivery.attemptCount + 1,
                  nextAttemptAt: null,
                  deliveredAt: now
                },
                {
                  n: delivery.attemptCount + 1,
                  at: now,
                  trigger: "scheduled",
                  durationMs: 0,
                  responseStatus: null,
                  responseBodyTruncated: null,
                  error: null
                }
              )
            )
          return {
            ...deliveries,
            claim: (claim) =>
              Effect.tap(deliveries.claim(claim), (claimed) => Effect.forEach(claimed, mark))
          }
        })
      )
    )
}

/** Its holder believes that every beat went well, and goes on where it should have given up. */
export const staleLease: Bug = {
  name: "a stale lease may conclude",
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        Deliveries,
        Effect.map(Deliveries, (deliveries) => ({
          ...deliveries,
          renew: ({ held }) => Effect.succeed(held.map(({ lease }) => lease)),
          conclude: (lease, delivery, attempt, releases) =>
            Effect.flatMap(
              deliveries.conclude(lease, delivery, attempt, releases),
              (isConcluded) => {
                const kept = world.stores.get("deliveries", delivery.id)
                if (isConcluded || kept === undefined) return Effect.succeed(isConcluded)
                const attempts = [...kept.attempts, attempt]
                return Effect.as(world.stores.replace("deliveries", { delivery, attempts }), true)
              }
            )
        }))
      )
    )
}

export const staleTimestamp: Bug = {
  name: "a retry keeps the first attempt's timestamp",
  plant: (wired, world) => {
    const first = new Map<string, WebhookRequest["headers"]>()
    return over(
      wired,
      Layer.effect(
        WebhookSender,
        Effect.map(WebhookSender, (webhookSender) => ({
          ...webhookSender,
          carry: (webhookRequest) => {
            const of = `${world.seed} ${webhookRequest.url} ${webhookRequest.headers["svc-webhook-id"]}`
            const headers = first.get(of) ?? webhookRequest.headers
            first.set(of, headers)
            return webhookSender.carry({ ...webhookRequest, headers })
          }
        }))
      )
    )
  }
}

export const hastyRetry: Bug = {
  name: "retries wait a third less than the schedule",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Ids,
        Effect.map(Ids, (ids) => ({
          ...ids,
          fraction: Effect.map(ids.fraction, (fraction) => fraction / 3 - 0.4)
        }))
      )
    )
}

export const gappyVersions: Bug = {
  name: "every other version of a request is never told",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Events,
        Effect.map(Events, (events) => ({
          ...events,
          nextVersions: (requests) =>
            Effect.map(events.nextVersions(requests), (versions) =>
              versions.map((version) => 2 * version)
            )
        }))
      )
    )
}
