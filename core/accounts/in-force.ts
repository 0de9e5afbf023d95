/**
 * What is read anew of the keys behind a call: that the caller's is in force, until the transaction ends where whoever
 * revokes it is to end what it leaves behind as well; and those it stems from, which share its daily cap.
 */
import { DateTime, Effect } from "effect"
import { Caller } from "../operation/caller.ts"
import { Unauthenticated } from "../operation/refusal.ts"
import { Keys } from "./account-store.ts"
import * as Key from "./key.ts"

export const ended = () =>
  new Unauthenticated({ message: "This API key was revoked or has expired; use an active one." })

const refuseEnded = Effect.fnUntraced(function* (key: Key.Key | undefined) {
  if (key !== undefined && !Key.isUsable(key, yield* DateTime.now)) return yield* ended()
})

/** Refuses a key that was revoked or has expired since it was authenticated; people have none. */
export const requireInForce = Effect.fnUntraced(function* () {
  const { accountId, keyId } = yield* Caller
  yield* refuseEnded(yield* (yield* Keys).hold(accountId, keyId))
})

/** The same for what is stored by a store that refuses keys which were revoked: nothing is held. */
export const requireUsable = Effect.fnUntraced(function* () {
  const { accountId, keyId } = yield* Caller
  yield* refuseEnded(yield* (yield* Keys).find(accountId, keyId))
})

/** How many keys that all have caps may stem from one another; each send counts for all of them. */
export const maxGenerations = 8

/** The key and those it stems from, as long as they have caps; one without a cap was made by none that has. */
export const capped = Effect.fnUntraced(function* (key: Key.Key) {
  const keys = yield* Keys
  const lineage: Array<Key.Key> = []
  let next: Key.Key | undefined = key
  while (next !== undefined && next.dailyCapMicro !== null && lineage.length < maxGenerations) {
    lineage.push(next)
    next = next.madeBy === null ? undefined : yield* keys.find(next.accountId, next.madeBy)
  }
  return lineage
})
