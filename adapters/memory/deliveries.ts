/**
 * The store of deliveries in memory: writing them down, concluding them and reading them. Taking them in
 * turn is told in `delivery-claim.ts`.
 */
import { Effect, Layer } from "effect"
import * as Page from "../../core/operation/page.ts"
import { concluded, type Delivery, isWaiting, skipped } from "../../core/webhooks/delivery.ts"
import { Deliveries, type Filter, type Recovery } from "../../core/webhooks/delivery-store.ts"
import { claiming, servedBy } from "./delivery-claim.ts"
import {
  type DeliveryTable,
  definition,
  forgetSome,
  ms,
  queueDefinition,
  type Stored,
  skipSome
} from "./delivery-table.ts"
import { definition as eventDefinition } from "./events.ts"
import { page } from "./paging.ts"
import { MemoryStore, type Store } from "./store.ts"

const exactly = ["status", "endpointId", "eventId", "eventType", "sequence"] as const

const fits =
  (filter: Filter) =>
  (delivery: Delivery): boolean =>
    exactly.every((field) => filter[field] === undefined || filter[field] === delivery[field]) &&
    (filter.since === undefined || ms(delivery.createdAt) >= ms(filter.since)) &&
    (filter.until === undefined || ms(delivery.createdAt) < ms(filter.until))

const better: ReadonlyArray<Delivery["status"]> = ["pending", "retrying", "delivered"]

const unarrived: ReadonlyArray<Delivery["status"]> = ["failed", "skipped", "gone"]

/** Of what did not arrive a page, and of it what is the newest of its event and nothing has done better than. */
const recovering = (
  all: ReadonlyArray<Delivery>,
  { since, statuses, until }: Recovery,
  { after, limit }: Page.Request
): Page.Page<Delivery> => {
  const hopeful = new Set(
    all.filter(({ status }) => better.includes(status)).map(({ eventId }) => eventId)
  )
  const ended = all
    .filter(({ status }) => unarrived.includes(status))
    .filter(fits({ since, until }))
    .toSorted((a, b) => -Page.newestFirst(a, b))
  const newest = new Map(
    ended.filter(({ status }) => statuses.includes(status)).map((each) => [each.eventId, each])
  )
  const isLost = (each: Delivery) =>
    each.eventType !== "webhook.test" &&
    newest.get(each.eventId) === each &&
    !hopeful.has(each.eventId)
  const page = Page.cut(
    ended.filter((each) => after === undefined || Page.isAfter(after, each)),
    limit
  )
  return { ...page, rows: page.rows.filter(isLost) }
}

/** The reads of the store: one delivery with its attempts, and the lists. */
const reading = (
  store: Store,
  deliveries: DeliveryTable,
  bodyOf: (delivery: Delivery) => string
): Pick<Deliveries["Service"], "find" | "list" | "recoverable"> => {
  const isServed = servedBy(store)
  /** What nobody will send is skipped, whether a batch has come to it yet or not. */
  const shown = (kept: Stored): Delivery =>
    isWaiting(kept.delivery) && !isServed(kept.delivery.endpointId)
      ? skipped(kept.delivery)
      : kept.delivery
  return {
    recoverable: (recovery, request) =>
      store.read(() =>
        recovering(
          deliveries
            .group("account", recovery.accountId)
            .map(({ delivery }) => delivery)
            .filter(({ endpointId }) => endpointId === recovery.endpointId),
          recovery,
          request
        )
      ),
    find: (accountId, deliveryId) =>
      store.read(() => {
        const kept = deliveries.get(deliveryId)
        if (kept?.delivery.accountId !== accountId) return undefined
        const { attempts } = kept
        const delivery = shown(kept)
        return { delivery, attempts, body: bodyOf(delivery) }
      }),
    list: (accountId, filter, request) =>
      store.read(() => page(deliveries.group("account", accountId), request, shown, fits(filter)))
  }
}

export const layer: Layer.Layer<Deliveries, never, MemoryStore> = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const deliveries = store.table(definition)
    const queues = store.table(queueDefinition)
    const events = store.table(eventDefinition)
    const isServed = servedBy(store)
    const bodyOf = (delivery: Delivery) => events.get(delivery.eventId)?.body ?? ""
    return {
      enqueue: (queued) =>
        store.write((journal) => {
          for (const delivery of queued) {
            deliveries.insert(journal, { delivery, attempts: [] })
          }
        }),
      ...claiming(store),
      skipWaiting: (endpointId, max) =>
        store.write((journal) => skipSome(journal, deliveries, endpointId, max)),
      conclude: (lease, delivery, attempt, releases = false) =>
        store.write((journal) => {
          const queue = queues.by("lease", lease)
          const kept = deliveries.get(delivery.id)
          if (queue === undefined || kept?.delivery.endpointId !== queue.endpointId) return false
          if (releases) queues.replace(journal, { ...queue, lease: null })
          if (kept.delivery.attemptCount !== attempt.n - 1) return false
          const attempts = [...kept.attempts, attempt]
          const { sequence } = kept.delivery
          const after = { ...concluded(kept.delivery, delivery), sequence }
          deliveries.replace(journal, { delivery: after, attempts })
          return true
        }),
      forget: (madeBefore, max) =>
        store.write((journal) => forgetSome(journal, deliveries, madeBefore, max)),
      skipStranded: (max) =>
        store.write((journal) =>
          [...deliveries.groupNames("waiting")]
            .filter((endpointId) => !isServed(endpointId))
            .reduce(
              (count, endpointId) => count + skipSome(journal, deliveries, endpointId, max - count),
              0
            )
        ),
      ...reading(store, deliveries, bodyOf)
    }
  })
)
