/**
 * The audit store in memory. One transaction runs at a time, so whoever holds a log holds it alone; the
 * place of an entry is a unique key, and so is every node of a tree.
 */
import { DateTime, Effect, Layer } from "effect"
import { Audit, type Head } from "../../core/audit/audit-store.ts"
import type { Entry, Listed, Placed } from "../../core/audit/entry.ts"
import type { Hashed, Node } from "../../core/audit/tree.ts"
import { archiving } from "./audit-archive.ts"
import { page } from "./paging.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore, type Store } from "./store.ts"
import { define } from "./table.ts"

const ms = (entry: Entry) => DateTime.toEpochMillis(entry.createdAt)

const subjectOf = ({ accountId, subjectId }: Pick<Entry, "accountId" | "subjectId">) =>
  JSON.stringify([accountId, subjectId])

const entryDefinition = define<Listed>()({
  name: "audit",
  key: (entry) => entry.id,
  unique: {
    place: ({ accountId, sequence }) =>
      sequence === null ? undefined : JSON.stringify([accountId, sequence])
  },
  sorted: {
    account: { group: (entry) => entry.accountId, at: ms },
    subject: { group: subjectOf, at: ms },
    unplaced: {
      group: ({ accountId, sequence }) => (sequence === null ? accountId : undefined),
      at: ms
    },
    log: {
      group: ({ accountId, sequence }) => (sequence === null ? undefined : accountId),
      at: ({ sequence }) => sequence ?? 0
    }
  }
})

interface KeptNode extends Hashed {
  readonly accountId: string
}

const keyOf = (accountId: string, { index, level }: Node) =>
  JSON.stringify([accountId, level, index])

const nodeDefinition = define<KeptNode>()({
  name: "audit nodes",
  key: (node) => keyOf(node.accountId, node)
})

interface KeptHead extends Head {
  readonly accountId: string
}

const headDefinition = define<KeptHead>()({
  name: "audit trees",
  key: ({ accountId }) => accountId
})

const hashedNode = (node: KeptNode | undefined): Hashed => {
  if (node === undefined) throw new Error("A node of the audit tree is not there.")
  return { level: node.level, index: node.index, hash: node.hash }
}

const isBy =
  (actor: string | undefined) =>
  (entry: Entry): boolean =>
    actor === undefined || entry.actor === actor

/** Places follow each other, the first the tree's end. */
const isGapFree = (from: number, placed: ReadonlyArray<Placed>, treeSize: number): boolean =>
  from + placed.length === treeSize && placed.every(({ sequence }, at) => sequence === from + at)

const headIn = (store: Store) => (accountId: string) =>
  store.read((): Head | undefined => {
    const kept = store.table(headDefinition).get(accountId)
    if (kept === undefined) return undefined
    const { grewAt, line, treeSize } = kept
    return { treeSize, line, grewAt }
  })

export const layer: Layer.Layer<Audit, never, MemoryStore> = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const entries = store.table(entryDefinition)
    const nodes = store.table(nodeDefinition)
    const heads = store.table(headDefinition)
    const head = headIn(store)
    return {
      append: (added) =>
        store.write((journal) => {
          for (const entry of added) entries.insert(journal, { ...entry, sequence: null })
        }),

      list: (accountId, request, { actor, subjectId } = {}) =>
        store.read(() => {
          const rows =
            subjectId === undefined
              ? entries.group("account", accountId)
              : entries.group("subject", subjectOf({ accountId, subjectId }))
          return page(rows, request, (entry) => entry, isBy(actor))
        }),

      find: (accountId, entryId) =>
        store.read(() => {
          const entry = entries.get(entryId)
          return entry?.accountId === accountId ? entry : undefined
        }),

      inOrder: (accountId, from, most) =>
        store.read(() => {
          const log = entries.group("log", accountId)
          const start = countWhile(log, ({ sequence }) => (sequence ?? 0) < from)
          // The group holds those alone that have a place.
          return log.slice(start, start + most) as ReadonlyArray<Placed>
        }),

      waiting: (most) =>
        store.read(() =>
          [...entries.groupNames("unplaced")]
            .filter((accountId) => entries.group("unplaced", accountId).length > 0)
            .slice(0, most)
        ),

      hold: (accountId) =>
        Effect.map(head(accountId), (known) => ({ head: known, now: store.line })),
      head,

      unplaced: (accountId, most) =>
        store.read(() =>
          entries
            .group("unplaced", accountId)
            .slice(0, most)
            .map(({ sequence: _, ...entry }) => entry)
        ),

      extend: ({ accountId, added, grewAt, line, placed, treeSize }) =>
        store.write((journal) => {
          const before = heads.get(accountId)
          if (!isGapFree(before?.treeSize ?? 0, placed, treeSize)) {
            throw new Error("These places do not follow the audit log's end.")
          }
          if (before !== undefined && line < before.line) {
            throw new Error("The audit log is on a later line already.")
          }
          for (const { id, sequence } of placed) {
            const entry = entries.get(id)
            if (entry?.accountId !== accountId || entry.sequence !== null) {
              throw new Error("An audit entry has its place already, or is not there.")
            }
            entries.replace(journal, { ...entry, sequence })
          }
          for (const node of added) nodes.insert(journal, { ...node, accountId })
          const after = { accountId, treeSize, line, grewAt }
          if (before === undefined) heads.insert(journal, after)
          else heads.replace(journal, after)
        }),

      nodes: (accountId, wanted) =>
        store.read(() => wanted.map((node) => hashedNode(nodes.get(keyOf(accountId, node))))),
      ...archiving(store, { entries, sizeOf: (accountId) => heads.get(accountId)?.treeSize ?? 0 })
    }
  })
)
