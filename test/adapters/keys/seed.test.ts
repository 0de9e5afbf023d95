/** Keys below a seed keep the contract, and stand at the hardened paths that every BIP-32 wallet knows. */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { verifySignature } from "@solana/kit"
import { Cause, Effect, Exit } from "effect"
import { HDKey, privateKeyToAddress } from "viem/accounts"
import { bytesToHex, hexToBytes, recoverAddress } from "viem/utils"
import { addressOf } from "../../../adapters/evm/relayer-key.ts"
import * as Seed from "../../../adapters/keys/seed.ts"
import { addressOf as solanaAddress } from "../../../adapters/solana/address.ts"
import * as Contract from "../../contracts/wallet-keys.contract.ts"
import { seed, walletKeys } from "../../support/anvil-sending-chain.ts"

Contract.suite("seed", walletKeys(Seed.backend(seed)))
Contract.suite("seed, on Solana", walletKeys(Seed.backend(seed)), "solana")

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

/** The second vector of SLIP-0010, whose seed is as long as ours. */
const slip10 = {
  seed: Array.from({ length: 64 }, (_, at) => 255 - 3 * at)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join(""),
  publicKeys: {
    "m/0'": "86fab68dcb57aa196c77c5f264f215a112c22a912c10d123b0d03c3c28ef1037",
    "m/0'/2147483647'": "5ba3b9ac6e90e83effcd25ac4e58a1365a9e35a3d3ae5eb07b9e4d90bcf7506d",
    "m/0'/2147483647'/1'": "2e66aa57069c86cc18249aecf5cb5a9cebbfd6fadeab056254763874a9352b45"
  }
}

it.effect.each(Object.entries(slip10.publicKeys))(
  "on ed25519 %s is the key of the published vector",
  ([path, key]) =>
    Effect.gen(function* () {
      const seed = new Uint8Array(Buffer.from(slip10.seed, "hex"))
      const publicKey = yield* Seed.backend(seed).publicKeyOf("ed25519", path)
      assert.strictEqual(Buffer.from(publicKey).toString("hex"), key)
    })
)

interface SolanaKeys {
  readonly seed: string
  readonly keys: ReadonlyArray<Readonly<Record<"walletId" | "path" | "address", string>>>
}

const solanaKeys: SolanaKeys = JSON.parse(
  readFileSync(new URL("../../vectors/solana-keys.json", import.meta.url), "utf8")
)

it.effect.each(solanaKeys.keys)("the wallet $walletId has its address on Solana for ever", (key) =>
  Effect.gen(function* () {
    const { open, publicKeyOf } = Seed.backend(new Uint8Array(Buffer.from(solanaKeys.seed, "hex")))
    const { ref } = yield* open("ed25519", key.walletId)
    assert.strictEqual(ref, key.path)
    assert.strictEqual(solanaAddress(yield* publicKeyOf("ed25519", ref)), key.address)
  })
)

it.effect("on ed25519 the signature is one that another implementation takes", () =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 20; turn++) {
      const { open, publicKeyOf, sign } = Seed.backend(new Uint8Array(randomBytes(64)))
      const { ref } = yield* open("ed25519", randomBytes(31).toString("hex"))
      const bytes = new Uint8Array(randomBytes(turn * 40))
      const [publicKey, signature] = [
        yield* publicKeyOf("ed25519", ref),
        yield* sign("ed25519", ref, bytes)
      ]
      const isTaken = yield* Effect.promise(async () =>
        verifySignature(
          await crypto.subtle.importKey("raw", publicKey.slice(), "Ed25519", true, ["verify"]),
          signature as Parameters<typeof verifySignature>[1],
          bytes
        )
      )
      assert.isTrue(isTaken)
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
  ["a path that is not hardened, on ed25519 either", "ed25519", "m/44'/501'/0"]
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
