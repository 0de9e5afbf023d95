/** The store of one-time enrolment links in memory: digests beside them, each digest once. */
import { DateTime, Effect, Layer } from "effect"
import type { Enrolment } from "../../core/humans/enrolment.ts"
import { Enrolments } from "../../core/humans/human-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

interface Stored {
  readonly enrolment: Enrolment
  readonly digest: string
}

const everywhere = "all"

const definition = define<Stored>()({
  name: "enrolments",
  key: ({ enrolment }) => enrolment.id,
  unique: { digest: ({ digest }) => digest },
  sorted: {
    expiry: {
      group: () => everywhere,
      at: ({ enrolment }) => DateTime.toEpochMillis(enrolment.expiresAt)
    }
  }
})

export const layer: Layer.Layer<Enrolments, never, MemoryStore> = Layer.effect(
  Enrolments,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const enrolments = store.table(definition)
    /** Ends all open ones that are meant; how many there were. */
    const endAll = (isMeant: (enrolment: Enrolment) => boolean, endedAt: DateTime.Utc) =>
      store.write((journal) => {
        const open = enrolments.all.filter(
          ({ enrolment }) => enrolment.endedAt === null && isMeant(enrolment)
        )
        for (const kept of open) {
          enrolments.replace(journal, { ...kept, enrolment: { ...kept.enrolment, endedAt } })
        }
        return open.length
      })
    return {
      issue: (enrolment, digest) =>
        store.write((journal) => enrolments.insert(journal, { enrolment, digest })),
      findByDigest: (digest) => store.read(() => enrolments.by("digest", digest)?.enrolment),
      find: (enrolmentId) => store.read(() => enrolments.get(enrolmentId)?.enrolment),
      use: (enrolmentId, at) =>
        store.write((journal) => {
          const kept = enrolments.get(enrolmentId)
          if (kept === undefined || kept.enrolment.endedAt !== null) return false
          enrolments.replace(journal, { ...kept, enrolment: { ...kept.enrolment, endedAt: at } })
          return true
        }),
      withdraw: (accountId, purpose, at) =>
        endAll((each) => each.accountId === accountId && each.purpose === purpose, at),
      withdrawOf: (accountId, humanId, at, purpose) =>
        endAll(
          (each) =>
            each.accountId === accountId &&
            each.humanId === humanId &&
            (purpose === undefined || each.purpose === purpose),
          at
        ),
      forget: (expiredBefore, max) =>
        store.write((journal) => {
          const over = enrolments
            .group("expiry", everywhere)
            .filter(({ enrolment }) => DateTime.isLessThan(enrolment.expiresAt, expiredBefore))
            .slice(0, max)
          for (const { enrolment } of over) enrolments.delete(journal, enrolment.id)
          return over.length
        })
    }
  })
)
