/** When accounts asked for their claim links again, in memory. */
import { type DateTime, Effect, Layer } from "effect"
import { ClaimLinkResends } from "../../core/agents/claim-link-resends.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

interface Row {
  readonly accountId: string
  readonly askedAt: ReadonlyArray<DateTime.Utc>
}

const definition = define<Row>()({ name: "claimLinkResends", key: ({ accountId }) => accountId })

export const layer: Layer.Layer<ClaimLinkResends, never, MemoryStore> = Layer.effect(
  ClaimLinkResends,
  Effect.map(MemoryStore, (store) => {
    const rows = store.table(definition)
    return {
      lock: (accountId) => store.read(() => rows.get(accountId)?.askedAt ?? []),
      note: (accountId, askedAt) =>
        store.write((journal) => {
          rows.delete(journal, accountId)
          rows.insert(journal, { accountId, askedAt })
        })
    }
  })
)
