/** The store of webhook events in memory. */
import { DateTime, Effect, Layer } from "effect"
import * as Page from "../../core/operation/page.ts"
import * as Numbering from "../../core/timeline/numbering.ts"
import { type EventFilter, Events } from "../../core/webhooks/delivery-store.ts"
import type { Event } from "../../core/webhooks/event.ts"
import { definition as deliveryDefinition } from "./delivery-table.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"
import { definition as walletDefinition } from "./wallets.ts"

export const definition = define<Event>()({
  name: "events",
  key: (event) => event.id,
  sorted: {
    account: {
      group: (event) => event.accountId,
      at: (event) => DateTime.toEpochMillis(event.createdAt)
    }
  }
})

interface Version {
  readonly of: string
  readonly last: number
  /** The line of history that it was given on. */
  readonly line: number
}

const versionDefinition = define<Version>()({ name: "event versions", key: ({ of }) => of })

const fits =
  (
    { customer, ...filter }: EventFilter,
    customerOf: (event: Event) => EventFilter["customer"] | null
  ) =>
  (event: Event): boolean => {
    if (event.object !== "event") return false
    if (filter.type !== undefined && filter.type !== event.type) return false
    if (filter.pid !== undefined && filter.pid !== event.pid) return false
    if (customer === undefined) return true
    const theirs = customerOf(event)
    return theirs?.externalId === customer.externalId && theirs.namespace === customer.namespace
  }

export const layer: Layer.Layer<Events, never, MemoryStore> = Layer.effect(
  Events,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const events = store.table(definition)
    const versions = store.table(versionDefinition)
    const deliveries = store.table(deliveryDefinition)
    const wallets = store.table(walletDefinition)
    const customerOf = ({ accountId, vaultId }: Event) => {
      const vault = vaultId === null ? undefined : wallets.get(vaultId)
      return vault?.accountId === accountId ? vault.customer : undefined
    }
    return {
      nextVersions: (requests) =>
        store.write((journal) =>
          requests.map(({ accountId, madeAt, pid }) => {
            const of = `${accountId} ${pid}`
            const before = versions.get(of)
            const { number } = store.line
            const madeOn = Numbering.isOlder(store.line, madeAt) ? 1 : number
            const last = Numbering.after(before?.last ?? 0, before?.line ?? madeOn, store.line)
            const after = { of, last, line: number }
            if (before === undefined) versions.insert(journal, after)
            else versions.replace(journal, after)
            return last
          })
        ),
      append: (added) =>
        store.write((journal) => {
          const fresh = added.filter(({ id }) => events.get(id) === undefined)
          for (const event of fresh) events.insert(journal, event)
          return new Set(fresh.map(({ id }) => id))
        }),
      forget: (madeBefore, max) =>
        store.write((journal) => {
          const told = new Set(deliveries.all.map(({ delivery }) => delivery.eventId))
          const old = events.all
            .filter(({ createdAt }) => DateTime.isLessThan(createdAt, madeBefore))
            .filter(({ id }) => !told.has(id))
            .toSorted((one, other) => -Page.newestFirst(one, other))
            .slice(0, max)
          for (const { id } of old) events.delete(journal, id)
          return old.length
        }),
      find: (accountId, eventId) =>
        store.read(() => {
          const event = events.get(eventId)
          return event?.accountId === accountId ? event : undefined
        }),
      list: (accountId, filter, request) =>
        store.read(() =>
          page(
            events.group("account", accountId),
            request,
            (event) => event,
            fits(filter, customerOf)
          )
        )
    }
  })
)
