/** The store of the contracts behind USDC in memory: one row for a chain. */
import { DateTime, Effect, Layer } from "effect"
import {
  type UsdcImplementation,
  UsdcImplementations
} from "../../core/tokens/usdc-implementation-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<UsdcImplementation>()({
  name: "usdc implementations",
  key: ({ chainId }) => chainId
})

export const layer: Layer.Layer<UsdcImplementations, never, MemoryStore> = Layer.effect(
  UsdcImplementations,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    return {
      find: (chainId) => store.read(() => rows.get(chainId)),
      see: (chainId, seen, seenAt) =>
        store.write((journal) => {
          const before = rows.get(chainId)
          if (before === undefined) {
            rows.insert(journal, { chainId, accepted: seen, seen, seenAt })
            return false
          }
          if (DateTime.isLessThanOrEqualTo(seenAt, before.seenAt)) return false
          rows.replace(journal, { ...before, seen, seenAt })
          return before.seen !== seen
        }),
      accept: (chainId, implementation) =>
        store.write((journal) => {
          const before = rows.get(chainId)
          if (before?.seen !== implementation) return false
          rows.replace(journal, { ...before, accepted: implementation })
          return true
        })
    }
  })
)
