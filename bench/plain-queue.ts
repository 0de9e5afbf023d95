/** Deliveries without a store: claimed from a list by the same rule, and forgotten when they are concluded. */
import { Effect } from "effect"
import type { Claimed, Deliveries } from "../core/webhooks/delivery-store.ts"

type Queue = Pick<Deliveries["Service"], "claim" | "conclude" | "nextDue">

export const over = (deliveries: ReadonlyArray<Claimed>): Queue => {
  const waiting = Map.groupBy(deliveries, ({ delivery }) => delivery.endpointId)
  const busy = new Map<string, number>()
  const change = (endpointId: string, by: number) =>
    busy.set(endpointId, (busy.get(endpointId) ?? 0) + by)
  return {
    claim: ({ most, maxPerEndpoint }) =>
      Effect.sync(() => {
        const claimed: Array<Claimed> = []
        for (const [endpointId, queue] of waiting) {
          const places = maxPerEndpoint - (busy.get(endpointId) ?? 0)
          const taken = queue.splice(0, Math.min(places, most - claimed.length))
          change(endpointId, taken.length)
          claimed.push(...taken)
        }
        return claimed
      }),
    conclude: (_, { endpointId }) =>
      Effect.sync(() => {
        change(endpointId, -1)
        return true
      }),
    nextDue: Effect.undefined
  }
}
