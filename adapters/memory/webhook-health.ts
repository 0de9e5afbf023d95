/** How webhook endpoints fare, in memory. A row stands only while the last attempt failed. */

import type { Health } from "../../core/webhooks/endpoint.ts"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import type { Store } from "./store.ts"
import { define } from "./table.ts"

interface Stored extends Health {
  readonly endpointId: string
}

export const definition = define<Stored>()({
  name: "webhook health",
  key: ({ endpointId }) => endpointId
})

type Notes = "noteFailure" | "noteFailing" | "noteSuccess"

export const noting = (store: Store): Pick<WebhookEndpoints["Service"], Notes> => {
  const healths = store.table(definition)
  return {
    noteFailure: (endpointId, at) =>
      store.write((journal) => {
        const before = healths.get(endpointId)
        const after: Stored = {
          endpointId,
          failures: (before?.failures ?? 0) + 1,
          firstFailedAt: before?.firstFailedAt ?? at,
          failingSince: before?.failingSince ?? null
        }
        if (before === undefined) healths.insert(journal, after)
        else healths.replace(journal, after)
        const { endpointId: _, ...health } = after
        return health
      }),
    noteFailing: (endpointId, since) =>
      store.write((journal) => {
        const before = healths.get(endpointId)
        if (before === undefined) throw new Error(`Nothing failed at ${endpointId}.`)
        healths.replace(journal, { ...before, failingSince: since })
      }),
    noteSuccess: (endpointId) =>
      store.write((journal) => {
        const wasFailing = (healths.get(endpointId)?.failingSince ?? null) !== null
        healths.delete(journal, endpointId)
        return wasFailing
      })
  }
}
