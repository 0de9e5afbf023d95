/** The store of sessions in memory: digests beside sessions, each digest once. */
import { DateTime, Effect, Layer } from "effect"
import { Sessions } from "../../core/humans/human-store.ts"
import type { Session } from "../../core/humans/session.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

interface Stored {
  readonly session: Session
  readonly digest: string
}

const definition = define<Stored>()({
  name: "sessions",
  key: ({ session }) => session.id,
  unique: { digest: ({ digest }) => digest }
})

const betweenNotes = { minutes: 1 }

export const layer: Layer.Layer<Sessions, never, MemoryStore> = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const sessions = store.table(definition)
    const endWhere = (isOver: (session: Session) => boolean, max?: number) =>
      store.write((journal) => {
        const over = sessions.all.filter(({ session }) => isOver(session)).slice(0, max)
        for (const { session } of over) sessions.delete(journal, session.id)
        return over.length
      })
    return {
      open: (session, digest) =>
        store.write((journal) => sessions.insert(journal, { session, digest })),
      findByDigest: (digest) => store.read(() => sessions.by("digest", digest)?.session),
      noteSeen: (sessionId, at) =>
        store.write((journal) => {
          const kept = sessions.get(sessionId)
          if (kept === undefined) return
          const isDue = DateTime.isGreaterThanOrEqualTo(
            at,
            DateTime.add(kept.session.lastSeenAt, betweenNotes)
          )
          if (isDue) {
            sessions.replace(journal, { ...kept, session: { ...kept.session, lastSeenAt: at } })
          }
        }),
      end: (sessionId) =>
        Effect.map(
          endWhere(({ id }) => id === sessionId),
          (ended) => ended > 0
        ),
      endOf: (passkeyId) => endWhere((session) => session.passkeyId === passkeyId),
      forget: (expiredBefore, max) =>
        endWhere(({ expiresAt }) => DateTime.isLessThan(expiresAt, expiredBefore), max)
    }
  })
)
