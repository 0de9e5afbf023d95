/** Digests match published vectors, and a seal that breaks is a defect that tells nothing. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import * as Envelope from "../../../adapters/secrets/envelope.ts"
import * as NodeSecrets from "../../../adapters/secrets/secrets.ts"
import { Secrets } from "../../../core/ports/secrets.ts"

const layer = NodeSecrets.layer({
  pepper: Redacted.make(Buffer.alloc(20, 0x0b)),
  dataKey: Redacted.make(Envelope.makeDataKey())
})

const place = { table: "webhook_endpoints", row: "018f-1", account: "acc-1" }

it.effect("a digest is HMAC-SHA256 under the pepper (RFC 4231, test case 1)", () =>
  Effect.gen(function* () {
    assert.strictEqual(
      (yield* Secrets).digest("Hi There"),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
  }).pipe(Effect.provide(layer))
)

it.effect(
  "a signature is HMAC-SHA256 under the whole text of the secret (RFC 4231, test case 2)",
  () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* Secrets).sign("Jefe", "what do ya want for nothing?"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      )
    }).pipe(Effect.provide(layer))
)

it.effect("SHA-256 is over UTF-8 (FIPS 180-4 and beyond ASCII)", () =>
  Effect.gen(function* () {
    const { sha256 } = yield* Secrets
    assert.strictEqual(
      sha256("abc"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert.strictEqual(
      sha256("€"),
      "c4cc90ed3d26f12d4b08a75140970a7904035c31cbb4515a83f19b9003c00d1d"
    )
  }).pipe(Effect.provide(layer))
)

it.effect("what is sealed opens at its place, and is a defect at any other", () =>
  Effect.gen(function* () {
    const { seal, open } = yield* Secrets
    const sealed = yield* seal(place, "whsec_secret")
    assert.strictEqual(yield* open(place, sealed), "whsec_secret")
    const moved = yield* Effect.exit(open({ ...place, account: "acc-2" }, sealed))
    if (!Exit.isFailure(moved)) return assert.fail("It opened for another account.")
    const defect = Cause.squash(moved.cause)
    assert.instanceOf(defect, Envelope.SealBroken)
    assert.notInclude(Cause.pretty(moved.cause), "whsec")
  }).pipe(Effect.provide(layer))
)
