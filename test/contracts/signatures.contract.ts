/**
 * What every judge of signatures must do: take a wallet's own and nothing else, never confuse a silent
 * chain with a bad signature, and ask no chain about a plain account's good one.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Signatures } from "../../core/ports/signatures.ts"
import * as Value from "../support/chain-values.ts"

/** The chain under the judge. */
export class WalletWorld extends Context.Service<
  WalletWorld,
  {
    /** Puts a contract on the chain that takes what the owner signs for its own; its address. */
    readonly contractOf: (owner: string) => Effect.Effect<string>
    /** The address of a contract that knows nothing of signatures. */
    readonly otherContract: Effect.Effect<string>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/WalletWorld") {}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const word = (value: bigint) => value.toString(16).padStart(64, "0")

/** The other signature that recovers to the same account. */
const highTwin = (signature: string): string => {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `${signature.slice(0, 66)}${word(order - s)}${v}`
}

const withV = (signature: string, v: string) => `${signature.slice(0, 130)}${v}`

const message = "treasury.test wants you to sign\n\nNonce: ✓1"
const owner = privateKeyToAccount(generatePrivateKey())
const stranger = privateKeyToAccount(generatePrivateKey())

const isBy = (address: string, signature: string, text = message) =>
  Effect.flatMap(Signatures, (judge) =>
    judge.isBy({
      signer: { chainId: "local", address: Value.address(address) },
      message: text,
      signature
    })
  )

const signs = (who: typeof owner) => Effect.promise(() => who.signMessage({ message }))

export const suite = <E>(name: string, world: Layer.Layer<Signatures | WalletWorld, E>) =>
  layer(world, { timeout: "60 seconds" })(`${name}: signatures`, (it) => {
    it.effect("a plain account's own signature is taken, however its parity is written", () =>
      Effect.gen(function* () {
        const signature = yield* signs(owner)
        const old = withV(signature, signature.endsWith("1b") ? "00" : "01")
        for (const form of [signature, old, signature.toUpperCase().replace("0X", "0x")]) {
          assert.isTrue(yield* isBy(owner.address, form))
          assert.isTrue(yield* isBy(owner.address.toLowerCase(), form))
        }
      })
    )

    it.effect(
      "nothing else is: not another's, not for another text, not malformed, not the twin",
      () =>
        Effect.gen(function* () {
          const signature = yield* signs(owner)
          const wrong = [
            yield* signs(stranger),
            highTwin(signature),
            withV(signature, "1d"),
            withV(signature, "02"),
            signature.slice(0, -2),
            `${signature}00`,
            signature.slice(2),
            "0x",
            `0x${"0".repeat(130)}`,
            `0x${"f".repeat(130)}`,
            "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf"
          ]
          for (const each of wrong) assert.isFalse(yield* isBy(owner.address, each), each)
          assert.isFalse(yield* isBy(owner.address, signature, `${message} `))
          for (let at = 2; at < 130; at += 9) {
            const digit = signature[at] === "a" ? "b" : "a"
            const changed = `${signature.slice(0, at)}${digit}${signature.slice(at + 1)}`
            assert.isFalse(yield* isBy(owner.address, changed), `digit ${at}`)
          }
        })
    )

    it.effect("a contract is asked itself", () =>
      Effect.gen(function* () {
        const { contractOf, otherContract } = yield* WalletWorld
        const contract = yield* contractOf(owner.address)
        const signature = yield* signs(owner)
        assert.isTrue(yield* isBy(contract, signature))
        assert.isFalse(yield* isBy(contract, yield* signs(stranger)))
        assert.isFalse(yield* isBy(contract, signature, `${message}!`))
        assert.isFalse(yield* isBy(contract, "0x"))
        assert.isFalse(yield* isBy(yield* otherContract, signature))
      })
    )

    it.effect("a chain that is away is never a bad signature", () =>
      Effect.gen(function* () {
        const { contractOf, outage } = yield* WalletWorld
        const contract = yield* contractOf(owner.address)
        const [own, other] = [yield* signs(owner), yield* signs(stranger)]
        yield* outage(true)
        assert.isTrue(yield* isBy(owner.address, own))
        for (const asked of [
          isBy(contract, own),
          isBy(contract, other),
          isBy(owner.address, other)
        ]) {
          const failed = yield* Effect.flip(asked)
          assert.strictEqual(failed._tag, "ChainUnavailable")
        }
        yield* outage(false)
        assert.isTrue(yield* isBy(contract, own))
      })
    )
  })
