/** The book of webhook events in memory. */
import { DateTime, Effect, Layer } from "effect"
import { Events, type Filter } from "../../core/ports/events.ts"
import type { Event } from "../../core/webhooks/event.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

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

const fits =
  (filter: Filter) =>
  ({ pid, type }: Event): boolean =>
    (filter.type === undefined || filter.type === type) &&
    (filter.pid === undefined || filter.pid === pid)

export const layer: Layer.Layer<Events, never, MemoryStore> = Layer.effect(
  Events,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const events = store.table(definition)
    return {
      append: (event) => store.write((journal) => events.insert(journal, event)),
      find: (accountId, eventId) =>
        store.read(() => {
          const event = events.get(eventId)
          return event?.accountId === accountId ? event : undefined
        }),
      list: (accountId, filter, request) =>
        store.read(() =>
          page(events.group("account", accountId), request, (event) => event, fits(filter))
        )
    }
  })
)
