/**
 * A human takes a passkey of their own away: one they have signs for the removal of that very one. A stolen
 * session alone shuts nobody out, and the last passkey stays, to come back with.
 */
import { Effect } from "effect"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import type { SignedIn } from "./authenticate.ts"
import { actorOf } from "./human.ts"
import { Humans } from "./human-store.ts"
import { type Answered, beginCall, type SignedCall, signCall } from "./sign-call.ts"
import { suspendPasskey } from "./suspend-passkey.ts"

const callOf = (passkeyId: string): SignedCall => ({
  name: "remove_passkey",
  input: { passkeyId }
})

const requireRemovable = Effect.fnUntraced(function* (humanId: string, passkeyId: string) {
  const passkeys = yield* (yield* Humans).passkeysOf(humanId)
  const usable = passkeys.filter(({ suspendedAt }) => suspendedAt === null)
  if (!passkeys.some(({ id }) => id === passkeyId)) {
    return yield* new NotFound({ param: "passkeyId", message: "You have no passkey with this id." })
  }
  if (usable.every(({ id }) => id === passkeyId)) {
    return yield* new InvalidRequest({
      param: "passkeyId",
      message: "This is your only passkey; add a second one first, or you would lose access."
    })
  }
})

/** Asks for the signature, of what can be removed at all. */
export const beginRemovingPasskey = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  passkeyId: string
) {
  yield* requireRemovable(signedIn.human.id, passkeyId)
  return yield* beginCall(signedIn, callOf(passkeyId))
})

/** The passkey as it then is, suspended for ever. */
export const removePasskey = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  passkeyId: string,
  answered: Answered
) {
  const { accountId, id: humanId } = signedIn.human
  const removing = Effect.andThen(
    requireRemovable(humanId, passkeyId),
    suspendPasskey(accountId, passkeyId, "revoked", actorOf(humanId))
  )
  return yield* signCall(signedIn, callOf(passkeyId), answered, removing)
})
