/**
 * What a browser sends of an authenticator's answer: `PublicKeyCredential.toJSON()`, bounded. Fields that
 * nothing is decided by are let go.
 */
import { Schema } from "effect"
import * as Text from "../encoding/text.ts"

const Base64url = (most: number) =>
  Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(most),
    Schema.isPattern(/^[0-9A-Za-z_-]+$/u)
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
