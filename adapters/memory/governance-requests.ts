/** The store of governance requests in memory; a transaction has the store to itself, so it locks what it reads. */
import { DateTime, Effect, Layer } from "effect"
import { GovernanceRequests } from "../../core/governance/governance-store.ts"
import type { GovernanceRequest } from "../../core/governance/request.ts"
import { effectiveStatus } from "../../core/time/timestamp.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const isOpen = (status: GovernanceRequest["status"]) =>
  status === "pending" || status === "scheduled"

const definition = define<GovernanceRequest>()({
  name: "governance requests",
  key: (request) => request.id,
  sorted: {
    open: {
      group: ({ accountId, status }) => (isOpen(status) ? accountId : undefined),
      at: (request) => DateTime.toEpochMillis(request.createdAt)
    }
  }
})

export const layer: Layer.Layer<GovernanceRequests, never, MemoryStore> = Layer.effect(
  GovernanceRequests,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const requests = store.table(definition)
    const own = (accountId: string, requestId: string) => {
      const request = requests.get(requestId)
      return request?.accountId === accountId ? request : undefined
    }
    return {
      store: (request) => store.write((journal) => requests.insert(journal, request)),
      find: (accountId, requestId) => store.read(() => own(accountId, requestId)),
      lock: (accountId, requestId) => store.read(() => own(accountId, requestId)),
      move: ({ accountId, id, status }) =>
        store.write((journal) => {
          const kept = own(accountId, id)
          if (kept === undefined || !isOpen(kept.status)) {
            throw new Error(`governance requests: ${id} is not open`)
          }
          requests.replace(journal, { ...kept, status })
        }),
      pendingBy: (accountId, keyIds) =>
        store.read(() =>
          requests
            .group("open", accountId)
            .filter(
              ({ requestedBy, status }) => status === "pending" && keyIds.includes(requestedBy)
            )
            .map(({ id }) => id)
        ),
      countOpen: (accountId, now, max) =>
        store.read(() =>
          Math.min(
            requests.group("open", accountId).filter((row) => isOpen(effectiveStatus(row, now)))
              .length,
            max
          )
        ),
      open: (accountId, now, request) =>
        store.read(() =>
          page(
            requests.group("open", accountId),
            request,
            (row) => row,
            (row) => isOpen(effectiveStatus(row, now))
          )
        )
    }
  })
)
