/**
 * From an answer to a proof that a human's own passkey signed this content, and from the proof to what it
 * allows. A proof is used once, with its counter; a counter that stands still suspends the passkey.
 */
import { DateTime, Effect, Result, type Schema } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { type AssertionAnswer, Passkeys } from "../ports/passkeys.ts"
import { expectedOf, userHandleOf } from "./credential-options.ts"
import { actorOf } from "./human.ts"
import { Humans } from "./human-store.ts"
import { type Passkey, PasskeyRejected, PasskeySuspended } from "./passkey.ts"
import { type PasskeyChallenge, PasskeyChallengeExpired } from "./passkey-challenge.ts"
import { suspendPasskey } from "./suspend-passkey.ts"

/** A verified signature: by whose passkey, with which counter. Only `verify` makes one. */
export interface Proof {
  readonly passkey: Passkey
  readonly counter: number
}

/** The refusals of taking, verifying and using an answer. */
export const refusals = [PasskeyChallengeExpired, PasskeyRejected, PasskeySuspended] as const

const rejected = (origin: string) =>
  new PasskeyRejected({
    message: `The passkey's response is invalid, so nothing was done; try again at ${origin} with one of your passkeys.`
  })

/** Verifies the answer to a passkey challenge over the content as it is now. */
export const verify = Effect.fnUntraced(function* (
  passkeyChallenge: PasskeyChallenge,
  content: Schema.JsonObject,
  answer: AssertionAnswer
) {
  const expected = yield* expectedOf(passkeyChallenge, content)
  const passkey = yield* (yield* Humans).byCredential(answer.id)
  if (passkey === undefined) return yield* rejected(expected.origin)
  const isTheirs = passkeyChallenge.humanId === null || passkeyChallenge.humanId === passkey.humanId
  const handle = answer.response.userHandle ?? null
  const isSaidTheirs = handle === null || handle === (yield* userHandleOf(passkey.humanId))
  if (!isTheirs || !isSaidTheirs) return yield* rejected(expected.origin)
  const { counter } = yield* Effect.catchTag(
    (yield* Passkeys).assert(answer, expected, passkey.publicKey),
    "Unverified",
    () => rejected(expected.origin)
  )
  return { passkey, counter } satisfies Proof
})

/** Whether the proof may be used, noted in the running transaction; a copied passkey is suspended in it. */
const use = Effect.fnUntraced(function* ({ counter, passkey }: Proof) {
  const humans = yield* Humans
  const { accountId, humanId, id } = passkey
  if (yield* humans.use(id, counter, yield* DateTime.now)) return undefined
  const known = yield* humans.passkey(accountId, id)
  if (known?.suspendedAt === null) {
    // The answer was signed, so the passkey itself has said that another like it is about.
    yield* Effect.logWarning(`Passkey ${id} of account ${accountId} was copied and is suspended.`)
    yield* Effect.orDie(suspendPasskey(accountId, id, "cloned", actorOf(humanId)))
  }
  return new PasskeySuspended({
    message:
      "This passkey is suspended; use another one, or ask the operator for a new enrolment link."
  })
})

/**
 * Uses the proof and does what it allows in one transaction. What is refused then leaves nothing but the
 * counter behind; a copied passkey leaves its suspension.
 */
export const using = Effect.fnUntraced(function* <A, E, R>(
  proof: Proof,
  act: Effect.Effect<A, E, R>
) {
  const atomically = yield* Atomically
  const outcome = yield* atomically.run(
    Effect.gen(function* () {
      const against = yield* use(proof)
      return against === undefined
        ? yield* Effect.result(atomically.run(act))
        : Result.fail<E | PasskeySuspended>(against)
    })
  )
  return yield* Effect.fromResult(outcome)
})
