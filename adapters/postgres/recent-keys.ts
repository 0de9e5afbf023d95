/**
 * Keys that were found a moment ago. They are kept for a second at most, only while this process would be told
 * that one was revoked, and what was read while it was told is not kept.
 */
import { Clock, Effect } from "effect"
import type { Key } from "../../core/accounts/key.ts"

/** The longest a key is taken for what it was, should nobody tell that it changed. */
export const keptForMs = 1000

const maxKept = 10_000

interface Kept {
  readonly key: Key
  readonly foundAt: number
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

  const keep = (digest: string, key: Key, foundAt: number) => {
    drop(digest)
    const [oldest] = byDigest.keys()
    if (byDigest.size >= maxKept && oldest !== undefined) drop(oldest)
    byDigest.set(digest, { key, foundAt })
    digests.set(key.id, digest)
  }

  /** What was found less than a second ago; undefined while nobody would say that it changed. */
  const recent = (digest: string, now: number): Key | undefined => {
    const kept = isTold() ? byDigest.get(digest) : undefined
    // A clock that was set back keeps nothing longer.
    const age = kept === undefined ? keptForMs : now - kept.foundAt
    return age >= 0 && age < keptForMs ? kept?.key : undefined
  }

  return {
    recent,

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
      Clock.clockWith((clock) => {
        if (!isTold()) return read
        const now = clock.currentTimeMillisUnsafe()
        const known = recent(digest, now)
        if (known !== undefined) return Effect.succeed(known)
        const before = changes
        return Effect.map(read, (key) => {
          if (key !== undefined && changes === before && isTold()) keep(digest, key, now)
          return key
        })
      })
  }
}
