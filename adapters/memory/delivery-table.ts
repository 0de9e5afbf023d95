/** The table of deliveries in memory: the rows, and what is kept sorted of them for each endpoint. */
import { DateTime } from "effect"
import { type Attempt, type Delivery, isWaiting, skipped } from "../../core/webhooks/delivery.ts"
import { type Definition, type Lease, orders } from "./leased-table.ts"
import { define, type Journal, type Table } from "./table.ts"

export interface Stored {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
  readonly lease: Lease | null
}

export const ms = DateTime.toEpochMillis

export const queue: Definition<Stored> = {
  due: ({ delivery }) => (isWaiting(delivery) ? delivery.nextAttemptAt : null),
  group: ({ delivery }) => delivery.endpointId
}

export const definition = define<Stored>()({
  name: "deliveries",
  key: ({ delivery }) => delivery.id,
  unique: { lease: ({ lease }) => lease?.id },
  sorted: {
    account: {
      group: ({ delivery }) => delivery.accountId,
      at: ({ delivery }) => ms(delivery.createdAt)
    },
    ...orders(queue)
  }
})

export type DeliveryTable = Table<Stored, "lease", "account" | "waiting" | "leased">

/**
 * Some of what waits for an endpoint, or is under way, will not be sent again and says so; an attempt may
 * conclude. How many there were.
 */
export const skipSome = (
  journal: Journal,
  deliveries: DeliveryTable,
  endpointId: string,
  max: number
): number => {
  const unfinished = [
    ...deliveries.group("waiting", endpointId).slice(0, max),
    ...deliveries.group("leased", endpointId)
  ]
    .filter(({ delivery }) => isWaiting(delivery))
    .slice(0, max)
  for (const kept of unfinished) {
    deliveries.replace(journal, { ...kept, delivery: skipped(kept.delivery) })
  }
  return unfinished.length
}
