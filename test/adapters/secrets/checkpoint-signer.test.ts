/** The checkpoint signer over a sealed key keeps the contract, and another key is another checkpoint signer. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as CheckpointSigner from "../../../adapters/secrets/checkpoint-signer.ts"
import * as Port from "../../../core/ports/checkpoint-signer.ts"
import { suite } from "../../contracts/checkpoint-signer.contract.ts"

const of = (byte: number) => CheckpointSigner.layer(Redacted.make(new Uint8Array(32).fill(byte)))

suite("node", of(1))

it.effect("two keys have two public halves, the same key has one", () =>
  Effect.gen(function* () {
    const publicKey = (byte: number) =>
      Effect.provide(
        Effect.map(Port.CheckpointSigner, (checkpointSigner) => checkpointSigner.publicKey),
        of(byte)
      )
    assert.deepStrictEqual(yield* publicKey(1), yield* publicKey(1))
    assert.notDeepEqual(yield* publicKey(1), yield* publicKey(2))
  })
)
