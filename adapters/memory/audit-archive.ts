/** What of the audit log is in files, in memory: archives follow each other, and no text goes that is in none. */
import { type Archive, endOf, holding, isOldEnough } from "../../core/audit/archive.ts"
import type { Audit } from "../../core/audit/audit-store.ts"
import type { Listed, Placed } from "../../core/audit/entry.ts"
import type { Store } from "./store.ts"
import { define, type Journal } from "./table.ts"

const archiveDefinition = define<Archive>()({
  name: "audit archives",
  key: ({ accountId, first }) => JSON.stringify([accountId, first]),
  sorted: { account: { group: ({ accountId }) => accountId, at: ({ first }) => first } }
})

/** The place of an entry whose text is dropped. */
const droppedDefinition = define<Pick<Placed, "id" | "accountId" | "sequence">>()({
  name: "audit places without texts",
  key: ({ id }) => id
})

/** The entries of the log, and how far it has come. */
interface Log {
  readonly entries: {
    readonly get: (id: string) => Listed | undefined
    readonly group: (index: "log", accountId: string) => ReadonlyArray<Listed>
    readonly delete: (journal: Journal, id: string) => void
  }
  readonly sizeOf: (accountId: string) => number
}

export const archiving = (
  store: Store,
  { entries, sizeOf }: Log
): Pick<Audit["Service"], "archives" | "archive" | "dropTexts" | "placeOf"> => {
  const archives = store.table(archiveDefinition)
  const dropped = store.table(droppedDefinition)
  return {
    archives: (accountId) => store.read(() => [...archives.group("account", accountId)]),

    archive: (archive) =>
      store.write((journal) => {
        const { accountId, end, first } = archive
        const follows = first === endOf(archives.group("account", accountId))
        if (!follows || end <= first || end > sizeOf(accountId)) {
          throw new Error("This archive does not go on where the last one ends.")
        }
        const texts = entries
          .group("log", accountId)
          .filter(({ sequence }) => sequence !== null && first <= sequence && sequence < end)
        if (
          !isOldEnough(
            archive,
            texts.map(({ createdAt }) => createdAt)
          )
        ) {
          throw new Error("The texts of this archive are too young.")
        }
        archives.insert(journal, archive)
      }),

    dropTexts: (accountId, { begin, end }) =>
      store.write((journal) => {
        const known = archives.group("account", accountId)
        const texts = entries
          .group("log", accountId)
          .flatMap(({ id, sequence }) =>
            sequence !== null && begin <= sequence && sequence < end ? [{ id, sequence }] : []
          )
        for (const { id, sequence } of texts) {
          if (holding(known, sequence) === undefined) {
            throw new Error("The text of an entry is in no archive.")
          }
          entries.delete(journal, id)
          dropped.insert(journal, { id, accountId, sequence })
        }
      }),

    placeOf: (accountId, entryId) =>
      store.read(() => {
        const found = entries.get(entryId) ?? dropped.get(entryId)
        return found?.accountId === accountId ? (found.sequence ?? undefined) : undefined
      })
  }
}
