/** What every checkpoint signer must do: sign, always with the same key, what others can check with its public half. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { isSigned } from "../../adapters/secrets/ed25519.ts"
import { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"

export const suite = (name: string, layer: Layer.Layer<CheckpointSigner>) =>
  it.layer(layer)(`${name}: checkpointSigner`, (it) => {
    it.effect("signs a text so that it verifies under its public key, and no other text does", () =>
      Effect.gen(function* () {
        const { publicKey, sign } = yield* CheckpointSigner
        assert.strictEqual(publicKey.length, 32)
        for (const text of ["", "a\n", "ünïcode ✓\n", "x".repeat(10_000)]) {
          const signature = yield* sign(text)
          assert.strictEqual(signature.length, 64)
          assert.isTrue(isSigned(publicKey, text, signature))
          assert.isFalse(isSigned(publicKey, `${text}\n`, signature))
          const changed = signature.with(0, (signature[0] ?? 0) ^ 1)
          assert.isFalse(isSigned(publicKey, text, changed))
        }
      })
    )

    it.effect("signs one text in one way", () =>
      Effect.gen(function* () {
        const { sign } = yield* CheckpointSigner
        assert.deepStrictEqual(yield* sign("a"), yield* sign("a"))
        assert.notDeepEqual(yield* sign("a"), yield* sign("b"))
      })
    )
  })
