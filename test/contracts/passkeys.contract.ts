/** What everything that verifies passkeys must do: believe what is signed here and now, and nothing else (threat 35). */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Passkeys } from "../../core/ports/passkeys.ts"
import { type Lie, SoftAuthenticator } from "../support/soft-authenticator.ts"

const site = { origin: "https://pay.example.com:8443", relyingPartyId: "pay.example.com" }

const random = () => randomBytes(32).toString("base64url")

const expected = () => ({ ...site, challenge: random() })

const registered = Effect.fnUntraced(function* (synced = false) {
  const authenticator = new SoftAuthenticator(site, { synced })
  const wanted = expected()
  const answer = authenticator.register({ ...wanted, user: { id: random() } })
  return { authenticator, passkey: yield* (yield* Passkeys).register(answer, wanted) }
})

/** Lies an answer of either sort may tell. */
const lies: Readonly<Record<string, Lie>> = {
  "another origin": { origin: "https://evil.example" },
  "the same host on another port": { origin: "https://pay.example.com" },
  "the same host without encryption": { origin: "http://pay.example.com:8443" },
  "another relying party": { relyingPartyId: "example.com" },
  "another challenge": { challenge: random() },
  "no user verification": { userVerified: false },
  "no user present": { userPresent: false }
}

export const suite = (name: string, passkeys: Layer.Layer<Passkeys>) =>
  layer(passkeys)(`${name}: passkeys`, (it) => {
    it.effect("a passkey registers and signs, counting up or saying 0 for ever", () =>
      Effect.gen(function* () {
        const { assert: verify } = yield* Passkeys
        for (const synced of [false, true]) {
          const { authenticator, passkey } = yield* registered(synced)
          assert.strictEqual(passkey.credentialId, authenticator.credentialId)
          assert.strictEqual(passkey.backedUp, synced)
          assert.strictEqual(passkey.counter, synced ? 0 : 1)
          for (const counter of synced ? [0, 0] : [2, 3]) {
            const wanted = expected()
            const answer = authenticator.sign(wanted)
            assert.deepStrictEqual(yield* verify(answer, wanted, passkey.publicKey), { counter })
          }
        }
      })
    )

    it.effect("a signed counter is told as it is, also one that went down", () =>
      Effect.gen(function* () {
        const { assert: verify } = yield* Passkeys
        const { authenticator, passkey } = yield* registered()
        for (const counter of [4_294_967_295, 1, 0]) {
          const wanted = expected()
          const answer = authenticator.sign(wanted, { counter })
          assert.deepStrictEqual(yield* verify(answer, wanted, passkey.publicKey), { counter })
        }
      })
    )

    it.effect.each(Object.entries(lies))("%s is not verified", ([, lie]) =>
      Effect.gen(function* () {
        const { assert: verify, register } = yield* Passkeys
        const { authenticator, passkey } = yield* registered()
        const wanted = expected()
        const signed = yield* Effect.flip(
          verify(authenticator.sign(wanted, lie), wanted, passkey.publicKey)
        )
        assert.strictEqual(signed._tag, "Unverified")
        const made = new SoftAuthenticator(site).register(
          { ...wanted, user: { id: random() } },
          lie
        )
        assert.strictEqual((yield* Effect.flip(register(made, wanted)))._tag, "Unverified")
      })
    )

    it.effect("an answer of one sort is none of the other", () =>
      Effect.gen(function* () {
        const { assert: verify, register } = yield* Passkeys
        const { authenticator, passkey } = yield* registered()
        const wanted = expected()
        const signed = authenticator.sign(wanted, { type: "webauthn.create" })
        yield* Effect.flip(verify(signed, wanted, passkey.publicKey))
        const user = { id: random() }
        const made = authenticator.register({ ...wanted, user }, { type: "webauthn.get" })
        yield* Effect.flip(register(made, wanted))
      })
    )

    it.effect("a signature of another passkey, or with any bit turned, is not verified", () =>
      Effect.gen(function* () {
        const { assert: verify } = yield* Passkeys
        const [{ authenticator, passkey }, { authenticator: other }] = [
          yield* registered(),
          yield* registered()
        ]
        const wanted = expected()
        const foreign = { ...other.sign(wanted), id: passkey.credentialId }
        yield* Effect.flip(
          verify({ ...foreign, rawId: passkey.credentialId }, wanted, passkey.publicKey)
        )
        // Of the DER form, past what says how long its parts are.
        for (const flippedBit of [40, 41, 47, 100, 160, 239]) {
          const turned = authenticator.sign(wanted, { flippedBit })
          yield* Effect.flip(verify(turned, wanted, passkey.publicKey))
        }
        yield* verify(authenticator.sign(wanted), wanted, passkey.publicKey)
      })
    )

    it.effect("a key of an algorithm nobody asked for is not registered", () =>
      Effect.gen(function* () {
        const { register } = yield* Passkeys
        const wanted = expected()
        // ML-DSA-44, ES384, ES256K.
        for (const algorithm of [-48, -35, -47]) {
          const authenticator = new SoftAuthenticator(site)
          const user = { id: random() }
          yield* Effect.flip(
            register(authenticator.register({ ...wanted, user }, { algorithm }), wanted)
          )
        }
      })
    )

    it.effect(
      "text that is no answer of an authenticator is not verified, and breaks nothing",
      () =>
        Effect.gen(function* () {
          const { assert: verify, register } = yield* Passkeys
          const { authenticator, passkey } = yield* registered()
          const wanted = expected()
          const signed = authenticator.sign(wanted)
          const made = new SoftAuthenticator(site).register({ ...wanted, user: { id: random() } })
          for (const junk of ["AA", "e30", random(), "_".repeat(400)]) {
            for (const field of ["clientDataJSON", "authenticatorData", "signature"] as const) {
              const response = { ...signed.response, [field]: junk }
              yield* Effect.flip(verify({ ...signed, response }, wanted, passkey.publicKey))
            }
            for (const field of ["clientDataJSON", "attestationObject"] as const) {
              const response = { ...made.response, [field]: junk }
              yield* Effect.flip(register({ ...made, response }, wanted))
            }
          }
        })
    )
  })
