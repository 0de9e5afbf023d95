/**
 * From the token in a browser's cookie to who is signed in, and to a caller of their account. Pages call
 * the catalogue through that caller, as every surface does: `invoke(operation, { caller, … })`.
 */
import { DateTime, Effect } from "effect"
import { type Facts as CallerFacts, Scope } from "../operation/caller.ts"
import type { Person } from "../operation/role.ts"
import { whereWritable } from "../ports/records.ts"
import { Secrets } from "../ports/secrets.ts"
import { isToken } from "./enrolment.ts"
import { actorOf, type Human } from "./human.ts"
import { Humans, Sessions } from "./human-store.ts"
import { requireRole } from "./require-role.ts"
import { isAlive, type Session, signInRequired } from "./session.ts"

export interface SignedIn {
  readonly session: Session
  readonly human: Human
  /** The digest of the token: what a passkey challenge of this browser is held by. */
  readonly browserId: string
  readonly holdRole: Person["holdRole"]
}

/**
 * Who is signed in. Unknown, ended and idle sessions, and those of suspended passkeys, are one answer. `isUse` is false
 * where a page asks by itself: one that was left open keeps no session alive.
 */
export const authenticate = Effect.fnUntraced(function* (
  token: string | undefined,
  { isUse = true }: { readonly isUse?: boolean } = {}
) {
  if (token === undefined || !isToken(token)) return yield* signInRequired()
  const sessions = yield* Sessions
  const humans = yield* Humans
  const browserId = (yield* Secrets).digest(token)
  const session = yield* sessions.findByDigest(browserId)
  const now = yield* DateTime.now
  if (session === undefined || !isAlive(session, now)) return yield* signInRequired()
  const { accountId, humanId, passkeyId } = session
  const human = yield* humans.find(accountId, humanId)
  const passkey = yield* humans.passkey(accountId, passkeyId)
  if (human === undefined || human.removedAt !== null) return yield* signInRequired()
  if (passkey?.suspendedAt !== null) return yield* signInRequired()
  const seenLong = DateTime.add(session.lastSeenAt, { minutes: 1 })
  if (isUse && DateTime.isGreaterThanOrEqualTo(now, seenLong)) {
    yield* whereWritable(sessions.noteSeen(session.id, now))
  }
  const holdRole: Person["holdRole"] = (needed) =>
    Effect.provideService(requireRole(human, needed), Humans, humans)
  return { session, human, browserId, holdRole } satisfies SignedIn
})

/**
 * The human as a caller of their account, with every scope and the bounds of their role: people act in the
 * console as with a developer key, also where the account is an agent's, so what moves money or governs waits
 * for their passkey. `hasSigned` says that their passkey has signed this very call.
 */
export const callerOf = (
  { holdRole, human }: Pick<SignedIn, "holdRole" | "human">,
  { hasSigned = false }: { readonly hasSigned?: boolean } = {}
): CallerFacts => ({
  accountId: human.accountId,
  keyId: actorOf(human.id),
  kind: "developer",
  scopes: new Set(Scope.literals),
  person: { id: human.id, role: human.role, hasSigned, holdRole }
})
