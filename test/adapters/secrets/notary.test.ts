/** The notary over a sealed key keeps the contract, and another key is another notary. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Notary from "../../../adapters/secrets/notary.ts"
import * as Port from "../../../core/ports/notary.ts"
import { suite } from "../../contracts/notary.contract.ts"

const of = (byte: number) => Notary.layer(Redacted.make(new Uint8Array(32).fill(byte)))

suite("node", of(1))

it.effect("two keys have two public halves, the same key has one", () =>
  Effect.gen(function* () {
    const publicKey = (byte: number) =>
      Effect.provide(
        Effect.map(Port.Notary, (notary) => notary.publicKey),
        of(byte)
      )
    assert.deepStrictEqual(yield* publicKey(1), yield* publicKey(1))
    assert.notDeepEqual(yield* publicKey(1), yield* publicKey(2))
  })
)
