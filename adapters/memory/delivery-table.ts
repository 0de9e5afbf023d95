/** The tables of deliveries and of their endpoints' queues in memory, and what is kept sorted of them. */
import { DateTime } from "effect"
import * as Page from "../../core/operation/page.ts"
import {
  type Attempt,
  type Delivery,
  isForgettable,
  isWaiting,
  skipped
} from "../../core/webhooks/delivery.ts"
import type { Lease } from "./leased-table.ts"
import { define, type Journal, type Table } from "./table.ts"

export interface Stored {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

/** Who holds an endpoint, and the last number that a delivery of it was given. */
interface EndpointQueue {
  readonly endpointId: string
  readonly lastSequence: number
  /** The line of history that the number was given on. */
  readonly line: number
  readonly lease: Lease | null
}

export const ms = DateTime.toEpochMillis

export const dueMs = ({ delivery }: Stored): number =>
  delivery.nextAttemptAt === null ? 0 : ms(delivery.nextAttemptAt)

export const definition = define<Stored>()({
  name: "deliveries",
  key: ({ delivery }) => delivery.id,
  sorted: {
    account: {
      group: ({ delivery }) => delivery.accountId,
      at: ({ delivery }) => ms(delivery.createdAt)
    },
    /** What waits for an endpoint or is under way to it. */
    waiting: {
      group: ({ delivery }) => (isWaiting(delivery) ? delivery.endpointId : undefined),
      at: dueMs
    }
  }
})

export const queueDefinition = define<EndpointQueue>()({
  name: "webhook queues",
  key: ({ endpointId }) => endpointId,
  unique: { lease: ({ lease }) => lease?.id }
})

export type DeliveryTable = Table<Stored, never, "account" | "waiting">

/** The oldest that have ended and did not fail, with their attempts, as many as fit; how many rows, `max` when there are more. */
export const forgetSome = (
  journal: Journal,
  deliveries: DeliveryTable,
  madeBefore: DateTime.Utc,
  max: number
): number => {
  const old = deliveries.all
    .filter(({ delivery }) => isForgettable(delivery))
    .filter(({ delivery }) => DateTime.isLessThan(delivery.createdAt, madeBefore))
    .toSorted((one, other) => -Page.newestFirst(one.delivery, other.delivery))
  let rows = 0
  for (const { attempts, delivery } of old) {
    const more = rows + attempts.length + 1
    if (rows > 0 && more > max) return max
    deliveries.delete(journal, delivery.id)
    rows = more
  }
  return rows
}

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
  const unfinished = deliveries.group("waiting", endpointId).slice(0, max)
  for (const kept of unfinished) {
    deliveries.replace(journal, { ...kept, delivery: skipped(kept.delivery) })
  }
  return unfinished.length
}
