/** Suspends a passkey for ever, and ends every session that was opened with it. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Humans } from "../ports/humans.ts"
import { Sessions } from "../ports/sessions.ts"
import { InvalidRequest, NotFound } from "../refusal.ts"
import { actorOf } from "./human.ts"

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
  if (yield* humans.suspend(accountId, passkeyId, yield* DateTime.now)) {
    const ended = yield* (yield* Sessions).endOf(passkeyId)
    yield* record({
      accountId,
      actor,
      action: "passkey.suspended",
      subjectType: "passkey",
      subjectId: passkeyId,
      facts: { reason, sessionsEnded: String(ended) }
    })
  }
  const passkey = yield* humans.passkey(accountId, passkeyId)
  if (passkey !== undefined) return passkey
  return yield* new NotFound({
    param: "passkeyId",
    message: "No passkey of this account has this id."
  })
})

/** The same by the human themself, who keeps at least one to come back with. Call it inside a transaction. */
export const removeOwnPasskey = Effect.fnUntraced(function* (
  { accountId, id: humanId }: { readonly accountId: string; readonly id: string },
  passkeyId: string
) {
  const passkeys = yield* (yield* Humans).passkeysOf(humanId)
  const usable = passkeys.filter(({ suspendedAt }) => suspendedAt === null)
  if (!passkeys.some(({ id }) => id === passkeyId)) {
    return yield* new NotFound({ param: "passkeyId", message: "You have no passkey of this id." })
  }
  if (usable.every(({ id }) => id === passkeyId)) {
    return yield* new InvalidRequest({
      param: "passkeyId",
      message: "This is your only passkey; add a second one first, or you could not come back."
    })
  }
  return yield* suspendPasskey(accountId, passkeyId, "revoked", actorOf(humanId))
})
