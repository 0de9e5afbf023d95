/** A key and those it stems from, which share its daily cap: what one sends counts for all of them. */
import { Effect } from "effect"
import type { Key } from "./key.ts"
import { Keys } from "./key-store.ts"

/** How many keys that all have caps may stem from one another; each send counts for all of them. */
export const maxGenerations = 8

/** The key and those it stems from, as long as they have caps; one without a cap was made by none that has. */
export const capped = Effect.fnUntraced(function* (key: Key) {
  const keys = yield* Keys
  const lineage: Array<Key> = []
  let next: Key | undefined = key
  while (next !== undefined && next.dailyCapMicro !== null && lineage.length < maxGenerations) {
    lineage.push(next)
    next = next.madeBy === null ? undefined : yield* keys.find(next.accountId, next.madeBy)
  }
  return lineage
})
