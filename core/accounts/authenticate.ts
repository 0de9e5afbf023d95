/**
 * From a bearer key to a caller. Malformed, unknown, revoked and expired keys are one and the same
 * answer, and a key that fails its checksum never reaches the database.
 */
import { DateTime, Effect } from "effect"
import type { Facts as CallerFacts } from "../caller.ts"
import { Keys } from "../ports/keys.ts"
import { Secrets } from "../ports/secrets.ts"
import { Unauthenticated } from "../refusal.ts"
import * as Key from "./key.ts"

const refused = () =>
  new Unauthenticated({
    message: "Send `Authorization: Bearer <key>` with a key of this treasury that is in force."
  })

const useIsStale = (key: Key.Key, now: DateTime.Utc) =>
  key.lastUsedAt === null ||
  DateTime.toEpochMillis(now) - DateTime.toEpochMillis(key.lastUsedAt) >= 60_000

export const authenticate = Effect.fnUntraced(function* (bearer: string) {
  if (!Key.isWellFormed(bearer)) return yield* refused()
  const keys = yield* Keys
  const key = yield* keys.findByDigest((yield* Secrets).digest(bearer))
  const now = yield* DateTime.now
  if (key === undefined || !Key.isUsable(key, now)) return yield* refused()
  if (useIsStale(key, now)) yield* keys.noteUse(key.id, now)
  return {
    accountId: key.accountId,
    keyId: key.id,
    kind: key.kind,
    scopes: new Set(key.scopes)
  } satisfies CallerFacts
})
