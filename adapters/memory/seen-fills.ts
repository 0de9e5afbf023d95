/** The store of how far fills were read, in memory: one row for a wallet of a chain. */
import { Effect, Layer } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import type { SeenFills as Seen } from "../../core/ports/swap-venue.ts"
import { SeenFills } from "../../core/swaps/seen-fills-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

interface Row {
  readonly chainId: string
  readonly owner: AddressKey
  readonly seen: Seen
}

const keyOf = (chainId: string, owner: string) => `${chainId} ${owner}`

const definition = define<Row>()({
  name: "seen fills",
  key: ({ chainId, owner }) => keyOf(chainId, owner)
})

export const layer: Layer.Layer<SeenFills, never, MemoryStore> = Layer.effect(
  SeenFills,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    return {
      find: (chainId, owner) => store.read(() => rows.get(keyOf(chainId, owner))?.seen),
      keep: (chainId, owner, seen) =>
        store.write((journal) => {
          const before = rows.get(keyOf(chainId, owner))
          if (before === undefined) rows.insert(journal, { chainId, owner, seen })
          else if (before.seen.through.number < seen.through.number) {
            rows.replace(journal, { chainId, owner, seen })
          }
        })
    }
  })
)
