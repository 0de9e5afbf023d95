/**
 * The book of deliveries in memory. What waits and what is leased is kept apart for each endpoint, so a
 * claim looks at the first few rows of each and never at what is done.
 */
import { DateTime, Effect, Layer } from "effect"
import { type Claim, Deliveries, type Filter } from "../../core/ports/deliveries.ts"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { definition, dueMs, type Kept, leaseEndMs, ms } from "./delivery-table.ts"
import { definition as eventDefinition } from "./events.ts"
import { page } from "./paging.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore, type Store } from "./store.ts"
import type { Table } from "./table.ts"
import { definition as endpointDefinition } from "./webhook-endpoints.ts"

const fits =
  (filter: Filter) =>
  ({ endpointId, eventId, eventType, status }: Delivery): boolean =>
    (filter.status === undefined || filter.status === status) &&
    (filter.endpointId === undefined || filter.endpointId === endpointId) &&
    (filter.eventId === undefined || filter.eventId === eventId) &&
    (filter.eventType === undefined || filter.eventType === eventType)

/** What one endpoint may be sent now: as many as it has places, the longest due first. */
const claimable = (
  waiting: ReadonlyArray<Kept>,
  leased: ReadonlyArray<Kept>,
  { most, mostPerEndpoint, now }: Claim
): ReadonlyArray<Kept> => {
  const ended = countWhile(leased, (kept) => leaseEndMs(kept) <= ms(now))
  const places = Math.min(most, mostPerEndpoint - (leased.length - ended))
  if (places <= 0) return []
  const due = countWhile(waiting, (kept) => dueMs(kept) <= ms(now))
  return [...leased.slice(0, ended), ...waiting.slice(0, Math.min(due, places))]
    .sort((a, b) => dueMs(a) - dueMs(b))
    .slice(0, places)
}

/** Skipped while an attempt was under way, as its endpoint was removed: it will not be tried again. */
const asLeft = (kept: Delivery, concluded: Delivery): Delivery =>
  kept.status === "skipped" && concluded.status === "retrying"
    ? { ...concluded, status: "skipped", nextAttemptAt: null }
    : concluded

const soonest = (dueAtMs: ReadonlyArray<number>): DateTime.Utc | undefined =>
  dueAtMs.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...dueAtMs))

const skipped = (kept: Kept): Kept => ({
  ...kept,
  delivery: { ...kept.delivery, status: "skipped", nextAttemptAt: null }
})

/** The reads of the book: one delivery with its attempts, and the lists. */
const reading = (
  store: Store,
  deliveries: Table<Kept, "lease", "account" | "waiting" | "leased">,
  bodyOf: (delivery: Delivery) => string
): Pick<Deliveries["Service"], "find" | "list"> => ({
  find: (accountId, deliveryId) =>
    store.read(() => {
      const kept = deliveries.get(deliveryId)
      if (kept?.delivery.accountId !== accountId) return undefined
      const { attempts, delivery } = kept
      return { delivery, attempts, body: bodyOf(delivery) }
    }),
  list: (accountId, filter, request) =>
    store.read(() =>
      page(
        deliveries.group("account", accountId),
        request,
        ({ delivery }) => delivery,
        fits(filter)
      )
    )
})

export const layer: Layer.Layer<Deliveries, never, MemoryStore> = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const deliveries = store.table(definition)
    const events = store.table(eventDefinition)
    const endpoints = store.table(endpointDefinition)
    /** Endpoints that deliveries wait for or are at work for, without the removed ones. */
    const busyEndpoints = () =>
      [
        ...new Set([...deliveries.groupNames("waiting"), ...deliveries.groupNames("leased")])
      ].filter((endpointId) => endpoints.get(endpointId)?.removedAt === null)
    const bodyOf = (delivery: Delivery) => events.get(delivery.eventId)?.body ?? ""
    const sealedSecretOf = (delivery: Delivery) =>
      endpoints.get(delivery.endpointId)?.endpoint.sealedSecret ?? ""
    return {
      enqueue: (queued) =>
        store.write((journal) => {
          for (const delivery of queued) {
            deliveries.insert(journal, { delivery, attempts: [], lease: null })
          }
        }),
      claim: (claim) =>
        store.write((journal) =>
          busyEndpoints()
            .flatMap((endpointId) =>
              claimable(
                deliveries.group("waiting", endpointId),
                deliveries.group("leased", endpointId),
                claim
              )
            )
            .sort((a, b) => dueMs(a) - dueMs(b))
            .slice(0, claim.most)
            .map((kept) => {
              const { delivery } = kept
              const lease = `lease-${store.next("lease")}`
              deliveries.replace(journal, {
                ...kept,
                lease: { id: lease, endsAt: claim.leaseEndsAt }
              })
              return {
                delivery,
                body: bodyOf(delivery),
                sealedSecret: sealedSecretOf(delivery),
                lease
              }
            })
        ),
      conclude: (lease, delivery, attempt) =>
        store.write((journal) => {
          const kept = deliveries.by("lease", lease)
          if (kept?.delivery.id !== delivery.id) return false
          const attempts = [...kept.attempts, attempt]
          const after = asLeft(kept.delivery, delivery)
          deliveries.replace(journal, { delivery: after, attempts, lease: null })
          return true
        }),
      nextDue: store.read(() => {
        const due = busyEndpoints().flatMap((endpointId) => [
          ...deliveries.group("waiting", endpointId).slice(0, 1).map(dueMs),
          ...deliveries.group("leased", endpointId).slice(0, 1).map(leaseEndMs)
        ])
        return soonest(due)
      }),
      skipStranded: store.write((journal) => {
        const isRemoved = (id: string) => endpoints.get(id)?.removedAt !== null
        const stranded = [...deliveries.groupNames("waiting")]
          .filter(isRemoved)
          .flatMap((endpointId) => deliveries.group("waiting", endpointId))
        for (const kept of stranded) deliveries.replace(journal, skipped(kept))
      }),
      ...reading(store, deliveries, bodyOf)
    }
  })
)
