/**
 * Keys that were found a moment ago. They are kept for a second at most, only while this process would be told
 * that one was revoked, and what was read while it was told is not kept.
 */
import { Effect } from "effect"
import type { Key } from "../../core/accounts/key.ts"

/** The longest a key is taken for what it was, should nobody tell that it changed. */
export const keptForMs = 1000

const maxKept = 10_000

interface Kept {
  readonly key: Key
  readonly until: number
}

export const recentKeys = (isTold: () => boolean) => {
  const byDigest = new Map<string, Kept>()
  const digests = new Map<string, string>()
  let changes = 0

  const drop = (digest: string) => {
    const kept = byDigest.get(digest)
    byDigest.delete(digest)
    if (kept !== undefined) digests.delete(kept.key.id)
  }

  const keep = (digest: string, key: Key) => {
    drop(digest)
    const [oldest] = byDigest.keys()
    if (byDigest.size >= maxKept && oldest !== undefined) drop(oldest)
    // The machine's own running time: no clock that is set changes it.
    byDigest.set(digest, { key, until: performance.now() + keptForMs })
    digests.set(key.id, digest)
  }

  return {
    /** Something was revoked, nobody says what. */
    forgetAll: (): void => {
      changes += 1
      byDigest.clear()
      digests.clear()
    },

    forget: (keyId: string): void => {
      changes += 1
      const digest = digests.get(keyId)
      if (digest !== undefined) drop(digest)
    },

    find: (digest: string, read: Effect.Effect<Key | undefined>): Effect.Effect<Key | undefined> =>
      Effect.suspend(() => {
        if (!isTold()) return read
        const kept = byDigest.get(digest)
        if (kept !== undefined && performance.now() < kept.until) return Effect.succeed(kept.key)
        const before = changes
        return Effect.map(read, (key) => {
          if (key !== undefined && changes === before && isTold()) keep(digest, key)
          return key
        })
      })
  }
}
