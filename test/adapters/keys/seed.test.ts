/** Keys below a seed keep the contract, and stand at the hardened paths that every BIP-32 wallet knows. */
import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { HDKey, privateKeyToAddress } from "viem/accounts"
import { bytesToHex, hexToBytes, recoverAddress } from "viem/utils"
import { addressOf } from "../../../adapters/evm/relayer-key.ts"
import * as Seed from "../../../adapters/keys/seed.ts"
import * as Contract from "../../contracts/wallet-keys.contract.ts"
import { seed, walletKeys } from "../../support/anvil-sending-chain.ts"

Contract.suite("seed", walletKeys(Seed.backend(seed)))

const curve = "secp256k1"

it.effect("a path gives the key that another implementation of BIP-32 derives", () =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 40; turn++) {
      const seed = new Uint8Array(randomBytes(64))
      const { open, publicKeyOf, sign } = Seed.backend(seed)
      const { ref } = yield* open(curve, randomBytes(31).toString("hex"))
      const { privateKey } = HDKey.fromMasterSeed(seed).derive(ref)
      const address = addressOf(yield* publicKeyOf(curve, ref))
      assert.strictEqual(address, privateKeyToAddress(bytesToHex(privateKey as Uint8Array)))
      const digest = `0x${"ab".repeat(32)}` as const
      const signature = yield* sign(curve, ref, hexToBytes(digest))
      const recovered = yield* Effect.promise(() => recoverAddress({ hash: digest, signature }))
      assert.strictEqual(recovered, address)
    }
  })
)

it.effect("the 248 bits of an id are eight hardened levels, and no two ids share a path", () =>
  Effect.gen(function* () {
    const { open } = Seed.backend(seed)
    const pathOf = (id: string) => Effect.map(open(curve, id), ({ ref }) => ref)
    assert.strictEqual(yield* pathOf("0".repeat(62)), `m${"/0'".repeat(8)}`)
    assert.strictEqual(yield* pathOf("f".repeat(62)), `m${"/2147483647'".repeat(8)}`)
    assert.strictEqual(yield* pathOf("1".padStart(62, "0")), `m${"/0'".repeat(7)}/1'`)
    assert.strictEqual(yield* pathOf("2".padEnd(62, "0")), `m/${2 ** 28}'${"/0'".repeat(7)}`)
  })
)

it.effect("other seeds give other keys", () =>
  Effect.gen(function* () {
    const ref = "m/1'"
    const other = Seed.backend(seed.map((byte) => byte ^ 1))
    assert.notDeepEqual(
      yield* other.publicKeyOf(curve, ref),
      yield* Seed.backend(seed).publicKeyOf(curve, ref)
    )
  })
)

const refusals: ReadonlyArray<readonly [string, "secp256k1" | "ed25519", string]> = [
  ["no path", curve, ""],
  ["the root itself", curve, "m"],
  ["a path that is not hardened", curve, "m/44'/60'/0"],
  ["a level beyond 31 bits", curve, `m/${2 ** 31}'`],
  ["a level with a leading zero", curve, "m/01'"],
  ["nine levels", curve, `m${"/0'".repeat(9)}`],
  ["another curve", "ed25519", "m/1'"]
]

it.effect.each(refusals)("%s has no key", ([, on, ref]) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Seed.backend(seed).publicKeyOf(on, ref))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
)

it.effect.each(["", "ab", "A".repeat(62), "0".repeat(64)])("%s is no derived id", (id) =>
  Effect.gen(function* () {
    assert.isTrue(Exit.isFailure(yield* Effect.exit(Seed.backend(seed).open(curve, id))))
  })
)

it("a seed of another length is refused", () => {
  assert.throws(() => Seed.backend(seed.slice(1)), /64 bytes/u)
})
