/**
 * Verifies passkeys by itself, with ES256 alone and without attestation: deterministic, in one turn, and a
 * second reading of the same standard. For test suites and simulations.
 */
import { createHash, createPublicKey, timingSafeEqual, verify } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Expected, Passkeys, Unverified } from "../../core/ports/passkeys.ts"
import * as Cbor from "./cbor.ts"

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"))
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest()

const assertHolds: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new Error(sentence)
}

const checkClient = (text: string, type: string, { challenge, origin }: Expected) => {
  const client = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Record<
    string,
    unknown
  >
  assertHolds(client.type === type, "The answer is to another sort of question.")
  assertHolds(client.challenge === challenge, "The answer is to another challenge.")
  assertHolds(client.origin === origin, "The answer was given at another origin.")
}

const present = 0x01
const verifiedUser = 0x04
const backedUp = 0x10
const hasCredential = 0x40

/** WebAuthn section 6.1: hash of the relying party, flags, counter, and of a registration the credential. */
const authenticatorData = (bytes: Uint8Array, { relyingPartyId }: Expected) => {
  assertHolds(bytes.length >= 37, "The authenticator's data breaks off.")
  const [flags = 0] = bytes.subarray(32)
  assertHolds(
    timingSafeEqual(bytes.subarray(0, 32), sha256(relyingPartyId)),
    "The answer is for another relying party."
  )
  assertHolds((flags & present) !== 0 && (flags & verifiedUser) !== 0, "The user was not verified.")
  const counter = Buffer.from(bytes).readUInt32BE(33)
  return { flags, counter, rest: bytes.subarray(37) }
}

/** The attested credential: 16 bytes of the authenticator's make, a length, the id, and the key. */
const credentialOf = (rest: Uint8Array) => {
  assertHolds(rest.length > 18, "The credential breaks off.")
  const length = Buffer.from(rest).readUInt16BE(16)
  const id = rest.subarray(18, 18 + length)
  const key = rest.subarray(18 + length)
  return { credentialId: textOf(id), publicKey: key.subarray(0, Cbor.read(key).end) }
}

const es256 = -7

/** A COSE key of P-256; every other algorithm is refused here. */
const publicKeyOf = (cose: Uint8Array) => {
  const { value } = Cbor.read(cose)
  assertHolds(value instanceof Map && value.get(3) === es256, "The key is not one for ES256.")
  const [x, y] = [value.get(-2), value.get(-3)]
  assertHolds(x instanceof Uint8Array && y instanceof Uint8Array, "The key breaks off.")
  const jwk = { kty: "EC", crv: "P-256", x: textOf(x), y: textOf(y) }
  return createPublicKey({ key: jwk, format: "jwk" })
}

const looking = <A>(look: () => A): Effect.Effect<A, Unverified> =>
  Effect.try({
    try: look,
    catch: (error) => new Unverified({ message: error instanceof Error ? error.message : "?" })
  })

export const layer: Layer.Layer<Passkeys> = Layer.succeed(Passkeys, {
  register: ({ id, rawId, response }, expected) =>
    looking(() => {
      checkClient(response.clientDataJSON, "webauthn.create", expected)
      const { value } = Cbor.read(bytesOf(response.attestationObject))
      const data = value instanceof Map ? value.get("authData") : undefined
      assertHolds(data instanceof Uint8Array, "The attestation holds no data.")
      const { counter, flags, rest } = authenticatorData(data, expected)
      assertHolds((flags & hasCredential) !== 0, "The attestation holds no credential.")
      const { credentialId, publicKey } = credentialOf(rest)
      assertHolds(credentialId === id && id === rawId, "The credential is another than it says.")
      publicKeyOf(publicKey)
      return {
        credentialId,
        publicKey: textOf(publicKey),
        counter,
        backedUp: (flags & backedUp) !== 0
      }
    }),

  assert: ({ id, rawId, response }, expected, publicKey) =>
    looking(() => {
      assertHolds(id === rawId, "The credential is another than it says.")
      checkClient(response.clientDataJSON, "webauthn.get", expected)
      const data = bytesOf(response.authenticatorData)
      const { counter } = authenticatorData(data, expected)
      const signed = Buffer.concat([data, sha256(bytesOf(response.clientDataJSON))])
      const key = publicKeyOf(bytesOf(publicKey))
      assertHolds(
        verify("sha256", signed, key, bytesOf(response.signature)),
        "The signature does not verify."
      )
      return { counter }
    })
})
