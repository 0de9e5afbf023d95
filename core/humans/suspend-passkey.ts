/**
 * Suspends a passkey for ever, and ends every session that was opened with it and every link for one more passkey: it
 * may have signed for that one, and whoever holds a stolen passkey must not come back by a link of theirs.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { NotFound } from "../operation/refusal.ts"
import { Humans, Sessions } from "./human-store.ts"
import { withdrawEnrolmentsOf } from "./issue-enrolment.ts"

/** Why: somebody wants it so, or a copy of it has shown itself. */
export type Reason = "revoked" | "cloned"

/** The passkey as it then is; suspending it twice is no change. Call it inside a transaction. */
export const suspendPasskey = Effect.fnUntraced(function* (
  accountId: string,
  passkeyId: string,
  reason: Reason,
  actor: string
) {
  const humans = yield* Humans
  const isNew = yield* humans.suspend(accountId, passkeyId, yield* DateTime.now)
  const passkey = yield* humans.passkey(accountId, passkeyId)
  if (passkey === undefined) {
    return yield* new NotFound({
      param: "passkeyId",
      message: "This account has no passkey with this id."
    })
  }
  if (isNew) {
    const ended = yield* (yield* Sessions).endOf(passkeyId)
    yield* record({
      accountId,
      actor,
      action: "passkey.suspended",
      subjectType: "passkey",
      subjectId: passkeyId,
      facts: { reason, sessionsEnded: String(ended) }
    })
    yield* withdrawEnrolmentsOf({ accountId, id: passkey.humanId }, actor, "second_passkey")
  }
  return passkey
})
