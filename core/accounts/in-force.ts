/**
 * Holds the caller's key as it stands until the transaction ends, so that what it leaves behind is there when
 * somebody revokes it: either the revocation ends that as well, or nothing is left.
 */
import { DateTime, Effect } from "effect"
import { Caller } from "../operation/caller.ts"
import { Unauthenticated } from "../operation/refusal.ts"
import * as Key from "./key.ts"
import { Keys } from "./key-store.ts"

export const ended = () =>
  new Unauthenticated({ message: "This API key was revoked or has expired; use an active one." })

/** Refuses a key that was revoked or has expired since it was authenticated; people have none. */
export const requireInForce = Effect.fnUntraced(function* () {
  const { accountId, keyId } = yield* Caller
  const key = yield* (yield* Keys).hold(accountId, keyId)
  if (key !== undefined && !Key.isUsable(key, yield* DateTime.now)) return yield* ended()
})
