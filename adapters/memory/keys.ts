/** The store of API keys in memory: digests beside keys, each digest once. */
import { DateTime, Effect, Layer } from "effect"
import { Keys } from "../../core/accounts/account-store.ts"
import { isUsable, type Key } from "../../core/accounts/key.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

interface Stored {
  readonly key: Key
  readonly digest: string
  readonly refusedAt: DateTime.Utc | null
}

export const definition = define<Stored>()({
  name: "keys",
  key: ({ key }) => key.id,
  unique: { digest: ({ digest }) => digest },
  sorted: {
    account: {
      group: ({ key }) => key.accountId,
      at: ({ key }) => DateTime.toEpochMillis(key.createdAt)
    }
  }
})

const betweenNotesMs = 60_000

const isRecent = (last: DateTime.Utc | null, at: DateTime.Utc) =>
  last !== null && DateTime.toEpochMillis(at) - DateTime.toEpochMillis(last) < betweenNotesMs

export const layer: Layer.Layer<Keys, never, MemoryStore> = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const keys = store.table(definition)
    const find = (accountId: string, keyId: string) => {
      const kept = keys.get(keyId)
      return kept?.key.accountId === accountId ? kept : undefined
    }
    const lineOf = (accountId: string, keyId: string): ReadonlyArray<Key> => {
      const key = find(accountId, keyId)?.key
      if (key === undefined) return []
      return key.madeBy === null ? [key] : [...lineOf(accountId, key.madeBy), key]
    }
    // A transaction has the store to itself, so it holds and takes what it reads.
    const line = (accountId: string, keyId: string) => store.read(() => lineOf(accountId, keyId))
    return {
      hold: (accountId, keyId) => store.read(() => find(accountId, keyId)?.key),
      line,
      holdLine: line,
      takeBranch: (accountId, keyId) =>
        store.read(() =>
          keys
            .group("account", accountId)
            .map(({ key }) => lineOf(accountId, key.id))
            .filter((each) => each.some(({ id }) => id === keyId))
            .toSorted((one, other) => one.length - other.length)
            .flatMap((each) => each.slice(-1))
        ),
      atHand: (digest) => store.look(() => keys.by("digest", digest)?.key),
      findByDigest: (digest) => store.read(() => keys.by("digest", digest)?.key),
      find: (accountId, keyId) => store.read(() => find(accountId, keyId)?.key),
      issue: (key, digest) =>
        store.write((journal) => keys.insert(journal, { key, digest, refusedAt: null })),
      countInForce: (accountId, now, max) =>
        store.read(() => {
          const all = keys.group("account", accountId)
          return Math.min(max, all.filter(({ key }) => isUsable(key, now)).length)
        }),
      list: (accountId, request) =>
        store.read(() => page(keys.group("account", accountId), request, ({ key }) => key)),
      revoke: (accountId, keyId, at) =>
        store.write((journal) => {
          const kept = find(accountId, keyId)
          if (kept === undefined || kept.key.revokedAt !== null) return false
          keys.replace(journal, { ...kept, key: { ...kept.key, revokedAt: at } })
          return true
        }),
      noteUse: (keyId, at) =>
        store.write((journal) => {
          const kept = keys.get(keyId)
          if (kept === undefined) return
          if (isRecent(kept.key.lastUsedAt, at)) return
          keys.replace(journal, { ...kept, key: { ...kept.key, lastUsedAt: at } })
        }),
      noteRefusal: (keyId, at) =>
        store.write((journal) => {
          const kept = keys.get(keyId)
          if (kept === undefined || isRecent(kept.refusedAt, at)) return false
          keys.replace(journal, { ...kept, refusedAt: at })
          return true
        })
    }
  })
)
