/** The store of ceremonies in memory: a transaction has the store to itself, so each is taken once. */
import { DateTime, Effect, Layer } from "effect"
import type { Ceremony } from "../../core/humans/ceremony.ts"
import { Ceremonies } from "../../core/humans/human-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Ceremony>()({
  name: "ceremonies",
  key: (ceremony) => ceremony.id
})

export const layer: Layer.Layer<Ceremonies, never, MemoryStore> = Layer.effect(
  Ceremonies,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const ceremonies = store.table(definition)
    return {
      begin: (ceremony) => store.write((journal) => ceremonies.insert(journal, ceremony)),
      take: (ceremonyId, holder) =>
        store.write((journal) => {
          const ceremony = ceremonies.get(ceremonyId)
          if (ceremony?.holder !== holder) return undefined
          ceremonies.delete(journal, ceremonyId)
          return ceremony
        }),
      forget: (expiredBefore, max) =>
        store.write((journal) => {
          const isOver = ({ expiresAt }: Ceremony) => DateTime.isLessThan(expiresAt, expiredBefore)
          const over = ceremonies.all.filter(isOver).slice(0, max)
          for (const { id } of over) ceremonies.delete(journal, id)
          return over.length
        })
    }
  })
)
