/**
 * From a bearer key to a caller. Malformed, unknown, revoked and expired keys, and those used from where
 * they may not be, are one and the same answer; a key that fails its checksum never reaches the database.
 */
import { Clock, Context, DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import type { Facts as CallerFacts } from "../operation/caller.ts"
import { Unauthenticated } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { whereWritable } from "../ports/records.ts"
import { Secrets } from "../ports/secrets.ts"
import { Keys } from "./account-store.ts"
import { covers } from "./caveats.ts"
import * as Key from "./key.ts"
import { seenOf } from "./seen-keys.ts"

const refused = () =>
  Effect.fail(
    new Unauthenticated({
      message:
        "Authentication failed: send `Authorization: Bearer <key>` with a valid, unexpired API key."
    })
  )

export type Needs = Keys | Secrets | Atomically | Effect.Services<ReturnType<typeof record>>

const useIsStale = ({ lastUsedAt }: Key.Key, nowMs: number) =>
  lastUsedAt === null || nowMs - DateTime.toEpochMillis(lastUsedAt) >= 60_000

/** Somebody holds a key elsewhere than they should; told to its account, at most once a minute. */
const noteStray = Effect.fnUntraced(function* (key: Key.Key, from: string, now: DateTime.Utc) {
  const keys = yield* Keys
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      if (!(yield* keys.noteRefusal(key.id, now))) return
      yield* record({
        accountId: key.accountId,
        actor: key.id,
        action: "api_key.refused",
        subjectType: "api_key",
        subjectId: key.id,
        facts: { reason: "address", address: from }
      })
    })
  )
})

/** The scopes of a key as a set, made once for each row of it that was read. */
const sets = new WeakMap<Key.Key["scopes"], CallerFacts["scopes"]>()

const setOf = (scopes: Key.Key["scopes"]): CallerFacts["scopes"] => {
  const known = sets.get(scopes)
  if (known !== undefined) return known
  const made = new Set(scopes)
  sets.set(scopes, made)
  return made
}

const callerOf = ({ accountId, id, kind, scopes }: Key.Key): CallerFacts => ({
  accountId,
  keyId: id,
  kind,
  scopes: setOf(scopes)
})

/** The same in a context that is at hand; in plain code where the key is too. */
export const authenticateIn = (
  context: Context.Context<Needs>,
  bearer: string,
  from: string
): Effect.Effect<CallerFacts, Unauthenticated, Needs> => {
  const keys = Context.get(context, Keys)
  const seen = seenOf(keys)
  const remembered = seen.digestInForce(bearer)
  if (remembered === undefined && !Key.isWellFormed(bearer)) return refused()
  const digest = remembered ?? Context.get(context, Secrets).digest(bearer)
  const nowMs = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  if (seen.wasRefused(digest, nowMs)) return refused()
  const judged = (key: Key.Key | undefined) => {
    if (key === undefined || !Key.isUsableAt(key, nowMs)) {
      seen.noteRefused(bearer, digest, nowMs)
      return refused()
    }
    seen.noteInForce(bearer, digest)
    if (key.ipRanges !== null && !covers(key.ipRanges, from)) {
      const now = DateTime.makeUnsafe(nowMs)
      return Effect.andThen(whereWritable(noteStray(key, Text.tamed(from, 64), now)), refused())
    }
    const caller = callerOf(key)
    return useIsStale(key, nowMs)
      ? Effect.as(whereWritable(keys.noteUse(key.id, DateTime.makeUnsafe(nowMs))), caller)
      : Effect.succeed(caller)
  }
  const known = keys.atHand?.(digest, nowMs)
  return known === undefined ? Effect.flatMap(keys.findByDigest(digest), judged) : judged(known)
}

/** The caller behind a key. `from` is the client's address, which a key bound to ranges takes. */
export const authenticate = (
  bearer: string,
  from = "unknown"
): Effect.Effect<CallerFacts, Unauthenticated, Needs> =>
  Effect.contextWith((context: Context.Context<Needs>) => authenticateIn(context, bearer, from))
