/**
 * A human adds and removes passkeys of their own. One they have signs for either, so that a stolen session alone
 * gets no passkey and shuts nobody out; the last passkey stays, to come back with.
 */
import { Effect } from "effect"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { watch } from "../operation/taking-authority.ts"
import type { AssertionAnswer } from "../ports/passkeys.ts"
import type { SignedIn } from "./authenticate.ts"
import { take } from "./begin-passkey-challenge.ts"
import { askToSign } from "./credential-options.ts"
import { actorOf } from "./human.ts"
import { Humans } from "./human-store.ts"
import { issueEnrolment } from "./issue-enrolment.ts"
import { beginCall, type SignedCall, type SignedResponse, signCall } from "./sign-call.ts"
import { suspendPasskey } from "./suspend-passkey.ts"
import { using, verify } from "./verify.ts"

const contentOf = ({ human }: SignedIn) => ({ accountId: human.accountId, humanId: human.id })

/**
 * A second passkey of a human: one they have signs that they want another, and they get a one-time link
 * for it, to be opened here or on another device. A stolen session alone gets none.
 */
export const beginAddingPasskey = Effect.fnUntraced(function* (signedIn: SignedIn) {
  const { browserId, human } = signedIn
  const passkeys = yield* (yield* Humans).passkeysOf(human.id)
  const asked = { purpose: "add_passkey", subject: null, humanId: human.id, browserId } as const
  return yield* askToSign(asked, contentOf(signedIn), passkeys)
})

/** The link, good for an hour. */
export const allowAnotherPasskey = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  passkeyChallengeId: string,
  answer: AssertionAnswer
) {
  const { browserId, human } = signedIn
  const asked = { purpose: "add_passkey", browserId, humanId: human.id } as const
  const passkeyChallenge = yield* take(passkeyChallengeId, asked)
  const proof = yield* verify(passkeyChallenge, contentOf(signedIn), answer)
  const { accountId, id: humanId, name } = human
  const wanted = { accountId, purpose: "second_passkey", humanId, name } as const
  return yield* using(proof, issueEnrolment(wanted, actorOf(humanId)))
})

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

/** The passkey as it then is, suspended for ever, and whether a standby has that. */
export const removePasskey = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  passkeyId: string,
  answered: SignedResponse
) {
  const { accountId, id: humanId } = signedIn.human
  const removing = Effect.gen(function* () {
    // Two that each take one of the last two away would both still see the other.
    yield* (yield* Humans).lock(accountId)
    yield* requireRemovable(humanId, passkeyId)
    return yield* suspendPasskey(accountId, passkeyId, "revoked", actorOf(humanId))
  })
  const { begin, told } = yield* watch
  const act = Effect.andThen(begin, removing)
  const passkey = yield* signCall(signedIn, callOf(passkeyId), answered, act)
  return { ...passkey, ...(yield* told) }
})
