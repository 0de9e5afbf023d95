/** Opens a session for a human whose passkey has just been verified. Call it inside a transaction. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { tokenLength } from "./enrolment.ts"
import { actorOf } from "./human.ts"
import type { Passkey } from "./passkey.ts"
import { lastsHours, type Session } from "./session.ts"
import { Sessions } from "./session-store.ts"

/** The session with its token, which goes into the browser's cookie and nowhere else. */
export const openSession = Effect.fnUntraced(function* (
  passkey: Pick<Passkey, "id" | "accountId" | "humanId">
) {
  const { accountId, humanId, id: passkeyId } = passkey
  const ids = yield* Ids
  const token = yield* ids.base62(tokenLength)
  const createdAt = yield* DateTime.now
  const session: Session = {
    id: yield* ids.uuid,
    accountId,
    humanId,
    passkeyId,
    createdAt,
    lastSeenAt: createdAt,
    expiresAt: DateTime.add(createdAt, { hours: lastsHours })
  }
  yield* (yield* Sessions).open(session, (yield* Secrets).digest(token))
  yield* record({
    accountId,
    actor: actorOf(humanId),
    action: "session.opened",
    subjectType: "human",
    subjectId: humanId,
    facts: { passkeyId }
  })
  return { session, token }
})
