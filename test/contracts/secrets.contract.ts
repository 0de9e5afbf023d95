/** What every keeper of secrets must do: digests that agree with others' tools, and seals bound to their place. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { Secrets } from "../../core/ports/secrets.ts"

const place = { table: "webhook_endpoints", row: "row-1", account: "account-1" }

export const suite = (name: string, layer: Layer.Layer<Secrets>) =>
  it.layer(layer)(`${name}: secrets`, (it) => {
    it.effect("hashes and signs as everybody else does", () =>
      Effect.gen(function* () {
        const secrets = yield* Secrets
        assert.strictEqual(
          secrets.sha256("abc"),
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        const bytes = secrets.hash("a", Uint8Array.of(0x62), "c")
        assert.strictEqual(Buffer.from(bytes).toString("hex"), secrets.sha256("abc"))
        assert.strictEqual(bytes.constructor, Uint8Array)
        assert.strictEqual(Buffer.from(secrets.hash()).toString("hex"), secrets.sha256(""))
        const unicode = Buffer.from(secrets.hash("ünï", "code ✓")).toString("hex")
        assert.strictEqual(unicode, secrets.sha256("ünïcode ✓"))
        // RFC 4231, test case 2.
        assert.strictEqual(
          secrets.sign("Jefe", "what do ya want for nothing?"),
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        // RFC 4231, test case 1: a key that is no text.
        assert.strictEqual(
          secrets.sign(new Uint8Array(20).fill(0x0b), "Hi There"),
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
      })
    )

    it.effect("digests a text the same way each time, and another text another way", () =>
      Effect.gen(function* () {
        const secrets = yield* Secrets
        assert.strictEqual(secrets.digest("svc_hu_a"), secrets.digest("svc_hu_a"))
        assert.notStrictEqual(secrets.digest("svc_hu_a"), secrets.digest("svc_hu_b"))
        assert.notStrictEqual(secrets.digest("svc_hu_a"), secrets.sha256("svc_hu_a"))
      })
    )

    it.effect("opens what it sealed, at the place it was sealed for", () =>
      Effect.gen(function* () {
        const secrets = yield* Secrets
        for (const text of ["whsec_abc", "", "ünïcode ✓", "x".repeat(10_000)]) {
          assert.strictEqual(yield* secrets.open(place, yield* secrets.seal(place, text)), text)
        }
      })
    )

    it.effect("opens nothing that was moved to another place or changed", () =>
      Effect.gen(function* () {
        const secrets = yield* Secrets
        const sealed = yield* secrets.seal(place, "whsec_abc")
        const elsewhere = [
          { ...place, table: "idempotency" },
          { ...place, row: "row-2" },
          { ...place, account: "account-2" }
        ]
        for (const other of elsewhere) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(secrets.open(other, sealed))))
        }
        for (let index = 0; index < sealed.length; index++) {
          const changed =
            sealed.slice(0, index) + (sealed[index] === "A" ? "B" : "A") + sealed.slice(index + 1)
          const opened = yield* Effect.exit(secrets.open(place, changed))
          assert.isTrue(Exit.isFailure(opened) || opened.value === "whsec_abc", `at ${index}`)
        }
        for (const text of ["", "nonsense", sealed.slice(0, -4), `${sealed}A`]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(secrets.open(place, text))), text)
        }
      })
    )
  })
