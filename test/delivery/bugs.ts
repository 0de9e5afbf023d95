/** A mistake somebody could make about deliveries, planted from outside by what their port then does. */
import { DateTime, Effect, Layer } from "effect"
import { Deliveries, type LeasedDelivery } from "../../core/webhooks/delivery-store.ts"
import type { Bug } from "./settings.ts"

/** A row says delivered as soon as it is claimed: whoever dies before it is carried has lost it. */
const tooEarly = (deliveries: Deliveries["Service"]): Deliveries["Service"] => {
  const mark = ({ delivery, lease }: LeasedDelivery) =>
    Effect.flatMap(DateTime.now, (now) => {
      const n = delivery.attemptCount + 1
      return deliveries.conclude(
        lease,
        {
          ...delivery,
          status: "delivered",
          attemptCount: n,
          nextAttemptAt: null,
          deliveredAt: now
        },
        {
          n,
          at: now,
          trigger: "scheduled",
          durationMs: 0,
          responseStatus: null,
          responseBodyTruncated: null,
          error: null
        }
      )
    })
  return {
    ...deliveries,
    // On its way to the webhook sender for a while, so that a few deaths are enough to meet it there.
    claim: (claim) =>
      Effect.tap(deliveries.claim(claim), (all) =>
        all.length === 0
          ? Effect.void
          : Effect.andThen(
              // At once: one by one, each would wait for the results of others.
              Effect.forEach(all, mark, { concurrency: "unbounded", discard: true }),
              Effect.sleep(300)
            )
      )
  }
}

const plants: Readonly<Record<Bug, (deliveries: Deliveries["Service"]) => Deliveries["Service"]>> =
  { "delivered before carried": tooEarly }

/** The store with the mistake in it. */
export const plant = <E, R>(bug: Bug | undefined, layer: Layer.Layer<Deliveries, E, R>) =>
  Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (deliveries) =>
      bug === undefined ? deliveries : plants[bug](deliveries)
    )
  ).pipe(Layer.provide(layer))
