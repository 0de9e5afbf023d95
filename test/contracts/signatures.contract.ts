/**
 * What every judge of signatures must do: take a wallet's own and nothing else, never confuse a silent
 * chain with a bad signature, and ask no chain about a plain account's good one.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { Signatures } from "../../core/ports/signatures.ts"
import * as Value from "../support/chain-values.ts"
import type { SigningWallet, SigningWallets } from "../support/signing-wallets.ts"

/** The chain under the judge. */
export class WalletWorld extends Context.Service<
  WalletWorld,
  {
    /**
     * Puts a contract on the chain that takes what the owner signs for its own; its address. Where programs
     * sign no texts, the address of a program's account, which nothing signs for.
     */
    readonly contractOf: (owner: string) => Effect.Effect<string>
    /** The address of a contract that knows nothing of signatures. */
    readonly otherContract: Effect.Effect<string>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
    /** Whether contracts are asked for theirs, so that a chain that is away leaves a question open. */
    readonly contractsSign: boolean
  }
>()("bursar/test/WalletWorld") {}

const message = "treasury.test wants you to sign\n\nNonce: ✓1"

export const suite = <E>(
  name: string,
  world: Layer.Layer<Signatures | WalletWorld, E>,
  wallets: SigningWallets
) => {
  const owner = wallets.make()
  const stranger = wallets.make()

  const isBy = (address: string, signature: string, text = message) =>
    Effect.flatMap(Signatures, (judge) =>
      judge.isBy({
        signer: { chainId: wallets.chainId, address: Value.address(address) },
        message: text,
        signature
      })
    )

  const signs = (who: SigningWallet) => Effect.promise(() => who.sign(message))

  layer(world, { timeout: "60 seconds" })(`${name}: signatures`, (it) => {
    it.effect("a plain account's own signature is taken, however it is written", () =>
      Effect.gen(function* () {
        const signature = yield* signs(owner)
        for (const form of wallets.writings(signature)) {
          for (const address of wallets.addresses(owner.address)) {
            assert.isTrue(yield* isBy(address, form))
          }
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
            ...wallets.malformed(signature),
            ...wallets.altered(signature)
          ]
          for (const each of wrong) assert.isFalse(yield* isBy(owner.address, each), each)
          assert.isFalse(yield* isBy(owner.address, signature, `${message} `))
        })
    )

    it.effect("a contract is asked itself, where contracts sign", () =>
      Effect.gen(function* () {
        const { contractOf, contractsSign, otherContract } = yield* WalletWorld
        const contract = yield* contractOf(owner.address)
        const signature = yield* signs(owner)
        assert.strictEqual(yield* isBy(contract, signature), contractsSign)
        assert.isFalse(yield* isBy(contract, yield* signs(stranger)))
        assert.isFalse(yield* isBy(contract, signature, `${message}!`))
        assert.isFalse(yield* isBy(contract, "0x"))
        assert.isFalse(yield* isBy(yield* otherContract, signature))
      })
    )

    it.effect("a chain that is away is never a bad signature", () =>
      Effect.gen(function* () {
        const { contractOf, contractsSign, outage } = yield* WalletWorld
        const contract = yield* contractOf(owner.address)
        const [own, other] = [yield* signs(owner), yield* signs(stranger)]
        yield* outage(true)
        assert.isTrue(yield* isBy(owner.address, own))
        for (const asked of [
          isBy(contract, own),
          isBy(contract, other),
          isBy(owner.address, other)
        ]) {
          // Where no chain is asked, the answer is the one that it has been all along.
          const judged = yield* Effect.result(asked)
          assert.deepStrictEqual(
            judged._tag === "Failure" ? judged.failure._tag : judged.success,
            contractsSign ? "ChainUnavailable" : false
          )
        }
        yield* outage(false)
        assert.strictEqual(yield* isBy(contract, own), contractsSign)
      })
    )
  })
}
