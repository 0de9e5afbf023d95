/** The audit book in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Entry } from "../../core/audit/entry.ts"
import { Audit } from "../../core/ports/audit.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Entry>()({
  name: "audit",
  key: (entry) => entry.id,
  sorted: {
    account: {
      group: (entry) => entry.accountId,
      at: (entry) => DateTime.toEpochMillis(entry.createdAt)
    }
  }
})

export const layer: Layer.Layer<Audit, never, MemoryStore> = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const entries = store.table(definition)
    return {
      append: (entry) => store.write((journal) => entries.insert(journal, entry)),
      list: (accountId, request) =>
        store.read(() => page(entries.group("account", accountId), request, (entry) => entry))
    }
  })
)
