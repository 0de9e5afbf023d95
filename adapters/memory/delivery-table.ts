/** The table of deliveries in memory: the rows, and what is kept sorted of them for each endpoint. */
import { DateTime } from "effect"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import { define } from "./table.ts"

export interface Kept {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
  readonly lease: { readonly id: string; readonly endsAt: DateTime.Utc } | null
}

export const ms = DateTime.toEpochMillis

export const isWaiting = ({ nextAttemptAt, status }: Delivery) =>
  (status === "pending" || status === "retrying") && nextAttemptAt !== null

export const dueMs = ({ delivery }: Kept) =>
  delivery.nextAttemptAt === null ? 0 : ms(delivery.nextAttemptAt)

export const leaseEndMs = ({ lease }: Kept) => (lease === null ? 0 : ms(lease.endsAt))

export const definition = define<Kept>()({
  name: "deliveries",
  key: ({ delivery }) => delivery.id,
  unique: { lease: ({ lease }) => lease?.id },
  sorted: {
    account: {
      group: ({ delivery }) => delivery.accountId,
      at: ({ delivery }) => ms(delivery.createdAt)
    },
    waiting: {
      group: ({ delivery, lease }) =>
        lease === null && isWaiting(delivery) ? delivery.endpointId : undefined,
      at: dueMs
    },
    leased: {
      group: ({ delivery, lease }) => (lease === null ? undefined : delivery.endpointId),
      at: leaseEndMs
    }
  }
})
