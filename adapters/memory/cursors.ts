/** The store of chain cursors in memory. */
import { Effect, Layer } from "effect"
import { type Cursor, Cursors } from "../../core/payments/transfer-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

export const definition = define<Cursor>()({ name: "cursors", key: (cursor) => cursor.chainId })

export const layer: Layer.Layer<Cursors, never, MemoryStore> = Layer.effect(
  Cursors,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const cursors = store.table(definition)
    return {
      all: store.read(() => cursors.all),
      find: (chainId) => store.read(() => cursors.get(chainId)),
      start: (cursor) =>
        store.write((journal) => {
          if (cursors.get(cursor.chainId) !== undefined) return false
          cursors.insert(journal, cursor)
          return true
        }),
      move: (fromTipHash, to) =>
        store.write((journal) => {
          if (cursors.get(to.chainId)?.blocks.at(-1)?.hash !== fromTipHash) return false
          cursors.replace(journal, to)
          return true
        })
    }
  })
)
