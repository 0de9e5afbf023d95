/** The store of letters in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Letter } from "../../core/mail/letter.ts"
import { Letters } from "../../core/mail/letter-store.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"

const everywhere = "all"

const definition = define<Letter>()({
  name: "letters",
  key: (letter) => letter.id,
  sorted: {
    queued: {
      group: ({ accountId, purpose, status }) =>
        status === "queued" ? `${accountId} ${purpose}` : "ended",
      at: ({ createdAt }) => DateTime.toEpochMillis(createdAt)
    },
    all: { group: () => everywhere, at: ({ createdAt }) => DateTime.toEpochMillis(createdAt) }
  }
})

export const layer: Layer.Layer<Letters, never, MemoryStore> = Layer.effect(
  Letters,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const letters = store.table(definition)
    /** Changes a letter that is still queued; the letter as it then is. */
    const change = (
      journal: Journal,
      letterId: string,
      by: (letter: Letter) => Partial<Letter>
    ) => {
      const letter = letters.get(letterId)
      if (letter?.status !== "queued") return undefined
      const changed = { ...letter, ...by(letter) }
      letters.replace(journal, changed)
      return changed
    }
    return {
      write: (letter) => store.write((journal) => letters.insert(journal, letter)),
      find: (letterId) => store.read(() => letters.get(letterId)),
      list: (status, request) =>
        store.read(() =>
          page(
            letters.group("all", everywhere),
            request,
            (letter) => letter,
            (letter) => status === undefined || letter.status === status
          )
        ),
      attempt: (letterId) =>
        store.write((journal) =>
          change(journal, letterId, ({ attempts }) => ({ attempts: attempts + 1 }))
        ),
      stumble: (letterId, lastError) =>
        store.write((journal) => {
          change(journal, letterId, () => ({ lastError }))
        }),
      end: (letterId, { at, error, status }) =>
        store.write((journal) => {
          const over = { status, sealedText: null, endedAt: at, lastError: error }
          return change(journal, letterId, () => over) !== undefined
        }),
      revoke: (accountId, purpose, at) =>
        store.write((journal) => {
          for (const { id } of [...letters.group("queued", `${accountId} ${purpose}`)]) {
            change(journal, id, () => ({ status: "void", sealedText: null, endedAt: at }))
          }
        })
    }
  })
)
