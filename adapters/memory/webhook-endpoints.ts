/** The store of webhook endpoints in memory; a removed one stays as the parent of its deliveries. */
import { DateTime, Effect, Layer } from "effect"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"
import { definition as healthDefinition, noting } from "./webhook-health.ts"

interface Stored {
  readonly endpoint: Endpoint
  readonly removedAt: DateTime.Utc | null
}

export const definition = define<Stored>()({
  name: "webhook endpoints",
  key: ({ endpoint }) => endpoint.id,
  sorted: {
    account: {
      group: ({ endpoint, removedAt }) => (removedAt === null ? endpoint.accountId : undefined),
      at: ({ endpoint }) => DateTime.toEpochMillis(endpoint.createdAt)
    }
  }
})

export const layer: Layer.Layer<WebhookEndpoints, never, MemoryStore> = Layer.effect(
  WebhookEndpoints,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const endpoints = store.table(definition)
    const healths = store.table(healthDefinition)
    const standing = (endpoint: Endpoint): Endpoint => ({
      ...endpoint,
      failingSince: healths.get(endpoint.id)?.failingSince ?? null
    })
    const find = (accountId: string, endpointId: string) => {
      const kept = endpoints.get(endpointId)
      return kept?.removedAt === null && kept.endpoint.accountId === accountId
        ? standing(kept.endpoint)
        : undefined
    }
    const ofAccount = (accountId: string) => endpoints.group("account", accountId)
    return {
      ...noting(store),
      register: (endpoint) =>
        store.write((journal) => endpoints.insert(journal, { endpoint, removedAt: null })),
      find: (accountId, endpointId) => store.read(() => find(accountId, endpointId)),
      // Nobody else is in a transaction meanwhile.
      hold: (accountId, endpointId) => store.read(() => find(accountId, endpointId)),
      list: (accountId, request) =>
        store.read(() => page(ofAccount(accountId), request, ({ endpoint }) => standing(endpoint))),
      registeredBy: (accountId, callers) =>
        store.read(() =>
          ofAccount(accountId)
            .map(({ endpoint }) => standing(endpoint))
            .filter(({ registeredBy }) => registeredBy !== null && callers.includes(registeredBy))
            .toReversed()
        ),
      revise: (endpoint) =>
        store.write((journal) => {
          const removedAt = endpoints.get(endpoint.id)?.removedAt ?? null
          endpoints.replace(journal, { endpoint, removedAt })
        }),
      remove: (accountId, endpointId, at) =>
        store.write((journal) => {
          const endpoint = find(accountId, endpointId)
          if (endpoint === undefined) return false
          endpoints.replace(journal, { endpoint, removedAt: at })
          return true
        }),
      subscribed: (accountId, type) =>
        store.read(() =>
          ofAccount(accountId)
            .map(({ endpoint }) => standing(endpoint))
            .filter(({ events, notices }) => [...events, ...notices].includes(type))
        ),
      forgetSecrets: (now, max) =>
        store.write((journal) => {
          const isOver = ({ endpoint: { previousSecret } }: Stored) =>
            previousSecret !== null && DateTime.isLessThanOrEqualTo(previousSecret.endsAt, now)
          const over = endpoints.all.filter(isOver).slice(0, max)
          for (const { endpoint, removedAt } of over) {
            endpoints.replace(journal, {
              removedAt,
              endpoint: { ...endpoint, previousSecret: null }
            })
          }
          return over.length
        }),
      count: (accountId) => store.read(() => ofAccount(accountId).length)
    }
  })
)
