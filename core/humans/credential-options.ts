/**
 * What is put to a browser: the options of `navigator.credentials` as JSON, over the challenge of a
 * passkey challenge. Users are always verified, and passkeys are always discoverable.
 */
import { DateTime, Effect, type Schema } from "effect"
import { Deployment } from "../operation/deployment.ts"
import { algorithms, type Expected } from "../ports/passkeys.ts"
import { Secrets } from "../ports/secrets.ts"
import { begin, challengeOf } from "./begin-passkey-challenge.ts"
import { type Passkey, relyingPartyOf } from "./passkey.ts"
import { base64url, lastsSeconds, type PasskeyChallenge } from "./passkey-challenge.ts"

/** What the answer to a passkey challenge must be over, with the content as it is now. */
export const expectedOf = Effect.fnUntraced(function* (
  passkeyChallenge: PasskeyChallenge,
  content: Schema.JsonObject
) {
  const party = relyingPartyOf(yield* Deployment)
  return { ...party, challenge: yield* challengeOf(passkeyChallenge, content) } satisfies Expected
})

/** A human as authenticators keep them, base64url: they hand it back with every login. */
export const userHandleOf = Effect.fnUntraced(function* (humanId: string) {
  return base64url((yield* Secrets).hash("bursar/human/v1\0", humanId))
})

const described = (passkeys: ReadonlyArray<Passkey>) =>
  passkeys
    .filter(({ suspendedAt }) => suspendedAt === null)
    .map(({ credentialId, transports }) => ({
      type: "public-key" as const,
      id: credentialId,
      transports
    }))

const timeout = lastsSeconds * 1000

/** A passkey challenge as a browser is told of it. */
export interface PasskeyOptions<Options> {
  readonly passkeyChallengeId: string
  /** ISO 8601. */
  readonly expiresAt: string
  /** For `PublicKeyCredential.parseCreationOptionsFromJSON` or `…RequestOptionsFromJSON`. */
  readonly options: Options
}

type ChallengeSubject = Pick<PasskeyChallenge, "purpose" | "subject" | "humanId" | "browserId">

const optionsAnswer = <Options>(
  passkeyChallenge: PasskeyChallenge,
  options: Options
): PasskeyOptions<Options> => ({
  passkeyChallengeId: passkeyChallenge.id,
  expiresAt: DateTime.formatIso(passkeyChallenge.expiresAt),
  options
})

/** Asks for a signature over the content, by one of these passkeys or by any when none are named. */
export const askToSign = Effect.fnUntraced(function* (
  asked: ChallengeSubject,
  content: Schema.JsonObject,
  passkeys: ReadonlyArray<Passkey>
) {
  const passkeyChallenge = yield* begin(asked)
  const { challenge, relyingPartyId } = yield* expectedOf(passkeyChallenge, content)
  return optionsAnswer(passkeyChallenge, {
    challenge,
    timeout,
    rpId: relyingPartyId,
    allowCredentials: described(passkeys),
    userVerification: "required" as const
  })
})

/** Asks for a new passkey of a human, on an authenticator that has none of theirs. */
export const askToRegister = Effect.fnUntraced(function* (
  asked: ChallengeSubject & { readonly humanId: string },
  content: Schema.JsonObject,
  name: string,
  passkeys: ReadonlyArray<Passkey>
) {
  const passkeyChallenge = yield* begin(asked)
  const { challenge, relyingPartyId } = yield* expectedOf(passkeyChallenge, content)
  return optionsAnswer(passkeyChallenge, {
    rp: { id: relyingPartyId, name: `Bursar at ${relyingPartyId}` },
    user: { id: yield* userHandleOf(asked.humanId), name, displayName: name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key" as const, alg })),
    timeout,
    excludeCredentials: described(passkeys),
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true,
      userVerification: "required" as const
    },
    attestation: "none" as const
  })
})
