/** The signer of EVM chains keeps the contract, and derives the addresses every other wallet derives. */
import { pbkdf2Sync } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as Branch from "../../../adapters/evm/branch.ts"
import * as EvmSigner from "../../../adapters/evm/signer.ts"
import { Signer } from "../../../core/ports/signer.ts"
import * as Contract from "../../contracts/signer.contract.ts"

/** The seed of the phrase every Ethereum developer knows (BIP-39). */
const phrase = "test test test test test test test test test test test junk"
const seed = new Uint8Array(pbkdf2Sync(phrase, "mnemonic", 2048, 64, "sha512"))

Contract.suite("evm", EvmSigner.layer(Branch.holders(seed).wallets))

const addressesOf = (chainId: string, numbers: ReadonlyArray<number>) =>
  Effect.flatMap(Signer, (signer) => signer.addressesOf(chainId, numbers.map(signer.keyAt))).pipe(
    Effect.provide(EvmSigner.layer(Branch.holders(seed).wallets))
  )

it.effect("a known seed gives the known addresses of m/44'/60'/0'/0", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* addressesOf("base", [0, 1, 9]), [
      "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"
    ])
  })
)

it.effect("a wallet has one address on all EVM chains", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* addressesOf("local", [3]), yield* addressesOf("polygon", [3]))
  })
)

it.effect("other seeds give other addresses", () =>
  Effect.gen(function* () {
    const other = yield* Effect.flatMap(Signer, (signer) =>
      signer.addressesOf("base", [signer.keyAt(0)])
    ).pipe(Effect.provide(EvmSigner.layer(Branch.holders(seed.map((byte) => byte ^ 1)).wallets)))
    assert.notDeepEqual(other, yield* addressesOf("base", [0]))
  })
)

const refusals: ReadonlyArray<readonly [string, string, number]> = [
  ["a negative index", "base", -1],
  ["a hardened index", "base", 2 ** 31],
  ["an index between two", "base", 0.5],
  ["a chain of another family", "solana", 0]
]

it.effect.each(refusals)("%s is a defect", ([, chainId, index]) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(addressesOf(chainId, [index]))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
)

it.effect("a key that another backend holds is a defect", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(
      Effect.flatMap(Signer, (signer) =>
        signer.addressesOf("base", [{ ...signer.keyAt(0), backend: "kms" }])
      ).pipe(Effect.provide(EvmSigner.layer(Branch.holders(seed).wallets)))
    )
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
)

it.effect("a seed of another length is refused", () =>
  Effect.sync(() => {
    assert.throws(() => Branch.holders(seed.slice(1)), /64 bytes/u)
  })
)
