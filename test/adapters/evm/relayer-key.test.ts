/** A relayer's address is worked out once for its key, and follows the key its backend tells of. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, relayerKey } from "../../../adapters/evm/relayer-key.ts"
import * as Seed from "../../../adapters/keys/seed.ts"

const keys = Seed.backend(new Uint8Array(64).fill(9))
const publicKeyOf = (index: number) =>
  Effect.runSync(keys.publicKeyOf("secp256k1", Seed.relayerRef(index)))

it.effect("another key behind the same reference is another address", () =>
  Effect.gen(function* () {
    const told = publicKeyOf(0)
    const { address } = relayerKey({ ...keys, publicKeyOf: () => Effect.succeed(told) }, "any")
    assert.strictEqual(yield* address, addressOf(publicKeyOf(0)))
    assert.strictEqual(yield* address, addressOf(publicKeyOf(0)))
    // Also where a backend writes into the bytes that it gave before.
    told.set(publicKeyOf(1))
    assert.strictEqual(yield* address, addressOf(publicKeyOf(1)))
  })
)
