/** The store of notices in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Notice } from "../../core/notices/notice.ts"
import { Notices } from "../../core/notices/notice-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const everywhere = "all"

const thingOf = ({ accountId, subject, type }: Notice) => `${accountId} ${type} ${subject}`

const definition = define<Notice>()({
  name: "notices",
  key: ({ id }) => id,
  unique: { thing: thingOf },
  sorted: {
    told: {
      group: ({ accountId, toldAt, type }) =>
        toldAt === null ? undefined : `${accountId} ${type}`,
      at: ({ toldAt }) => (toldAt === null ? 0 : DateTime.toEpochMillis(toldAt))
    },
    digest: {
      group: ({ digestAt }) => (digestAt === null ? undefined : everywhere),
      at: ({ createdAt }) => DateTime.toEpochMillis(createdAt)
    },
    age: { group: () => everywhere, at: ({ createdAt }) => DateTime.toEpochMillis(createdAt) }
  }
})

export const layer: Layer.Layer<Notices, never, MemoryStore> = Layer.effect(
  Notices,
  Effect.map(MemoryStore, (store) => {
    const notices = store.table(definition)
    return {
      write: (notice) =>
        store.write((journal) => {
          const isNew = notices.by("thing", thingOf(notice)) === undefined
          if (isNew) notices.insert(journal, notice)
          return isNew
        }),
      tell: (noticeId, toldAt) =>
        store.write((journal) => {
          const notice = notices.get(noticeId)
          if (notice === undefined || notice.toldAt !== null) return undefined
          const told = { ...notice, toldAt }
          notices.replace(journal, told)
          return told
        }),
      countTold: (accountId, type, since) =>
        store.read(
          () =>
            notices
              .group("told", `${accountId} ${type}`)
              .filter(
                ({ toldAt }) => toldAt !== null && DateTime.isGreaterThanOrEqualTo(toldAt, since)
              ).length
        ),
      defer: (noticeId, digestAt) =>
        store.write((journal) => {
          const notice = notices.get(noticeId)
          if (notice !== undefined) notices.replace(journal, { ...notice, digestAt })
        }),
      takeDigest: (now, max) =>
        store.write((journal) => {
          const due = notices
            .group("digest", everywhere)
            .filter(
              ({ digestAt }) => digestAt !== null && DateTime.isLessThanOrEqualTo(digestAt, now)
            )
            .slice(0, max)
          return due.map((notice) => {
            const taken = { ...notice, digestAt: null }
            notices.replace(journal, taken)
            return taken
          })
        }),
      forget: (createdBefore, max) =>
        store.write((journal) => {
          const over = notices
            .group("age", everywhere)
            .filter(
              ({ createdAt, digestAt, toldAt }) =>
                toldAt !== null &&
                digestAt === null &&
                DateTime.isLessThan(createdAt, createdBefore)
            )
            .slice(0, max)
          for (const { id } of over) notices.delete(journal, id)
          return over.length
        })
    }
  })
)
