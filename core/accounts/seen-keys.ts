/**
 * What a process remembers of keys that came lately: the digests of those in force, so that they never wait for
 * strangers, and which were refused, so that they cost no look-up. It is a hint only: a key that was in force is
 * asked of the store again with every call.
 */
import type { Keys } from "./account-store.ts"

export const maxRemembered = 10_000
const refusedForMs = 60_000

export interface SeenKeys {
  /** The digest of a key that was in force when it last came. */
  readonly digestInForce: (key: string) => string | undefined
  readonly wasRefused: (digest: string, nowMs: number) => boolean
  readonly noteInForce: (key: string, digest: string) => void
  readonly noteRefused: (key: string, digest: string, nowMs: number) => void
  /** A key was made: nothing is taken for unknown any more. */
  readonly forgetRefused: () => void
}

const put = <Value>(map: Map<string, Value>, name: string, value: Value) => {
  map.delete(name)
  if (map.size >= maxRemembered) {
    const [earliest] = map.keys()
    if (earliest !== undefined) map.delete(earliest)
  }
  map.set(name, value)
}

const make = (): SeenKeys => {
  const inForce = new Map<string, string>()
  const refused = new Map<string, number>()
  return {
    digestInForce: (key) => inForce.get(key),
    wasRefused: (digest, nowMs) => {
      const atMs = refused.get(digest)
      if (atMs === undefined) return false
      if (nowMs - atMs < refusedForMs) return true
      refused.delete(digest)
      return false
    },
    noteInForce: (key, digest) => {
      if (!inForce.has(key)) put(inForce, key, digest)
    },
    noteRefused: (key, digest, nowMs) => {
      inForce.delete(key)
      put(refused, digest, nowMs)
    },
    forgetRefused: () => refused.clear()
  }
}

const ofStore = new WeakMap<Keys["Service"], SeenKeys>()

/** What is remembered of the keys of one store. */
export const seenOf = (keys: Keys["Service"]): SeenKeys => {
  const known = ofStore.get(keys)
  if (known !== undefined) return known
  const seen = make()
  ofStore.set(keys, seen)
  return seen
}
