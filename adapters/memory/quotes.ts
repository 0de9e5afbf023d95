/** The store of quotes in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Quote } from "../../core/quotes/quote.ts"
import { Quotes } from "../../core/quotes/quote-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Quote>()({
  name: "quotes",
  key: ({ id }) => id,
  sorted: {
    all: { group: () => "all", at: ({ expiresAt }) => DateTime.toEpochMillis(expiresAt) }
  }
})

export const layer: Layer.Layer<Quotes, never, MemoryStore> = Layer.effect(
  Quotes,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const quotes = store.table(definition)
    return {
      add: (quote) => store.write((journal) => quotes.insert(journal, quote)),
      find: (accountId, quoteId) =>
        store.read(() => {
          const quote = quotes.get(quoteId)
          return quote?.accountId === accountId ? quote : undefined
        }),
      bind: (quoteId, proposalId) =>
        store.write((journal) => {
          const quote = quotes.get(quoteId)
          if (quote === undefined || quote.proposalId !== null) return false
          quotes.replace(journal, { ...quote, proposalId })
          return true
        }),
      forget: (expiredBefore, max) =>
        store.write((journal) => {
          const old = quotes
            .group("all", "all")
            .filter(({ expiresAt }) => DateTime.isLessThan(expiresAt, expiredBefore))
            .slice(0, max)
          for (const { id } of old) quotes.delete(journal, id)
          return old.length
        })
    }
  })
)
