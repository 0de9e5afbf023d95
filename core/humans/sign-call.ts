/**
 * A human's passkey signs one call of an operation with its exact input, where a session alone must not be
 * enough: what gives out power, or counts as this account's word in another's affairs.
 */
import { Effect, type Schema } from "effect"
import type { AssertionAnswer } from "../ports/passkeys.ts"
import type { SignedIn } from "./authenticate.ts"
import { take } from "./begin-passkey-challenge.ts"
import { askToSign } from "./credential-options.ts"
import { Humans } from "./human-store.ts"
import { using, verify } from "./verify.ts"

export interface SignedCall {
  /** An operation of the catalogue, or an act of the console's own. */
  readonly name: string
  readonly input: Schema.JsonObject
}

const contentOf = ({ human }: SignedIn, { input, name }: SignedCall) => ({
  accountId: human.accountId,
  operation: name,
  input
})

const askedOf = ({ browserId, human }: SignedIn, { name }: SignedCall) =>
  ({ purpose: "sign_call", subject: name, humanId: human.id, browserId }) as const

export const beginCall = Effect.fnUntraced(function* (signedIn: SignedIn, call: SignedCall) {
  const passkeys = yield* (yield* Humans).passkeysOf(signedIn.human.id)
  return yield* askToSign(askedOf(signedIn, call), contentOf(signedIn, call), passkeys)
})

export interface SignedResponse {
  readonly passkeyChallengeId: string
  readonly answer: AssertionAnswer
}

/** Takes the answer over this very call, once, and acts in the transaction that uses it up. */
export const signCall = Effect.fnUntraced(function* <A, E, R>(
  signedIn: SignedIn,
  call: SignedCall,
  answered: SignedResponse,
  act: Effect.Effect<A, E, R>
) {
  const passkeyChallenge = yield* take(answered.passkeyChallengeId, askedOf(signedIn, call))
  const proof = yield* verify(passkeyChallenge, contentOf(signedIn, call), answered.answer)
  return yield* using(proof, act)
})
