/** Deliveries without a store: handed out from a list by the same rule, and forgotten when they are concluded. */
import { Effect } from "effect"
import type { Deliveries, LeasedDelivery } from "../core/webhooks/delivery-store.ts"

type Queue = Pick<Deliveries["Service"], "claim" | "conclude" | "nextDue" | "release" | "renew">

/** The lease of each is its endpoint's id. */
export const over = (deliveries: ReadonlyArray<LeasedDelivery>): Queue => {
  const waiting = Map.groupBy(deliveries, ({ delivery }) => delivery.endpointId)
  const free = new Set(waiting.keys())
  const take = (id: string, wanted: number) => waiting.get(id)?.splice(0, wanted) ?? []
  return {
    claim: ({ held, maxPerEndpoint, most }) =>
      Effect.sync(() => {
        const taken = [...free].slice(0, most)
        for (const id of taken) free.delete(id)
        return [
          ...held.flatMap(({ id, wanted }) => take(id, wanted)),
          ...taken.flatMap((id) => take(id, maxPerEndpoint))
        ]
      }),
    conclude: () => Effect.succeed(true),
    release: () => Effect.void,
    renew: ({ held }) => Effect.succeed(held.map(({ lease }) => lease)),
    nextDue: () => Effect.undefined
  }
}
