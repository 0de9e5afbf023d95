/**
 * Verifies what authenticators answer (WebAuthn level 3). Nothing is believed that is not signed; the
 * counter is told, never judged, because only a signed one means anything.
 */
import { Context, Data, type Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"

/** What an answer must be over. The user must have been verified, whoever else says so or not. */
export interface Expected {
  /** base64url. */
  readonly challenge: string
  /** `https://pay.example.com`: scheme, host and port as browsers write them. */
  readonly origin: string
  /** `pay.example.com`. */
  readonly relyingPartyId: string
}

export interface Registered {
  /** base64url. */
  readonly credentialId: string
  /** COSE, base64url; of an algorithm in `algorithms`. */
  readonly publicKey: string
  readonly counter: number
  readonly backedUp: boolean
}

export interface Asserted {
  /** As signed. */
  readonly counter: number
}

/** What passkeys may sign with, the first preferred: Ed25519, ES256, RS256. */
export const algorithms: ReadonlyArray<number> = [-8, -7, -257]

/** The answer does not verify, for whatever reason. */
export class Unverified extends Data.TaggedError("Unverified")<{ readonly message: string }> {}

export class Passkeys extends Context.Service<
  Passkeys,
  {
    readonly register: (
      answer: RegistrationAnswer,
      expected: Expected
    ) => Effect.Effect<Registered, Unverified>
    /** Verifies a signature by the key whose public part is given. */
    readonly assert: (
      answer: AssertionAnswer,
      expected: Expected,
      publicKey: string
    ) => Effect.Effect<Asserted, Unverified>
  }
>()("bursar/ports/Passkeys") {}

const Base64url = (most: number) =>
  Schema.String.check(
    Schema.isMinCodePoints(1),
    Schema.isMaxCodePoints(most),
    Schema.isPattern(/^[0-9A-Za-z_-]+$/u, { expected: "base64url without padding" })
  )

const CredentialId = Base64url(1400)

const common = { id: CredentialId, rawId: CredentialId, type: Schema.Literal("public-key") }

/** Of `navigator.credentials.create()`. */
export const RegistrationAnswer = Schema.Struct({
  ...common,
  response: Schema.Struct({
    clientDataJSON: Base64url(8192),
    attestationObject: Base64url(32_768),
    transports: Schema.optionalKey(Schema.Array(Text.Line(32)).check(Schema.isMaxLength(8)))
  })
})
export type RegistrationAnswer = typeof RegistrationAnswer.Type

/** Of `navigator.credentials.get()`. */
export const AssertionAnswer = Schema.Struct({
  ...common,
  response: Schema.Struct({
    clientDataJSON: Base64url(8192),
    authenticatorData: Base64url(8192),
    signature: Base64url(2048),
    userHandle: Schema.optionalKey(Schema.NullOr(Base64url(128)))
  })
})
export type AssertionAnswer = typeof AssertionAnswer.Type
