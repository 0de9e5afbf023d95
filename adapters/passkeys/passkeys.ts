/**
 * Verifies passkeys with @simplewebauthn/server. The library is told neither a counter, which it would
 * judge before the signature, nor its own choice of algorithms, which differs between runtimes.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server"
import { Effect, Layer } from "effect"
import {
  algorithms,
  type Expected,
  Passkeys,
  type RegistrationAnswer,
  Unverified
} from "../../core/ports/passkeys.ts"

const expectation = ({ challenge, origin, relyingPartyId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: relyingPartyId,
  requireUserVerification: true
})

type Library = typeof import("@simplewebauthn/server")

/** Loaded with the first passkey, so that no start waits for it. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

/** The library throws for most of what is wrong, and answers `verified: false` for a bad signature. */
const verified = <A extends { readonly verified: boolean }>(look: (by: Library) => Promise<A>) =>
  Effect.flatMap(library, (by) =>
    Effect.tryPromise({
      try: () => look(by),
      catch: (error) => new Unverified({ message: error instanceof Error ? error.message : "?" })
    })
  ).pipe(
    Effect.filterOrFail(
      (seen) => seen.verified,
      () => new Unverified({ message: "The signature does not verify." })
    )
  )

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"))

/** The fields the library does not look at are left out of what it is given. */
const registrationOf = ({ id, rawId, response, type }: RegistrationAnswer) => {
  const { attestationObject, clientDataJSON } = response
  const given = { attestationObject, clientDataJSON }
  return { id, rawId, type, clientExtensionResults: {}, response: given }
}

export const layer: Layer.Layer<Passkeys> = Layer.succeed(Passkeys, {
  register: Effect.fnUntraced(function* (answer, expected) {
    const seen = yield* verified(({ verifyRegistrationResponse }) =>
      verifyRegistrationResponse({
        ...expectation(expected),
        response: registrationOf(answer) satisfies RegistrationResponseJSON,
        supportedAlgorithmIDs: [...algorithms]
      })
    )
    const { credential, credentialBackedUp } = seen.registrationInfo ?? {}
    if (credential === undefined || credential.id !== answer.id) {
      return yield* new Unverified({ message: "The credential is another than the answer says." })
    }
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      backedUp: credentialBackedUp === true
    }
  }),

  assert: Effect.fnUntraced(function* ({ id, rawId, response, type }, expected, publicKey) {
    const { authenticatorData, clientDataJSON, signature } = response
    const given = { authenticatorData, clientDataJSON, signature }
    const seen = yield* verified(({ verifyAuthenticationResponse }) =>
      verifyAuthenticationResponse({
        ...expectation(expected),
        response: {
          id,
          rawId,
          type,
          clientExtensionResults: {},
          response: given
        } satisfies AuthenticationResponseJSON,
        credential: { id, publicKey: bytesOf(publicKey), counter: 0 }
      })
    )
    return { counter: seen.authenticationInfo.newCounter }
  })
})
