/** What everybody must do who makes transactions for payers' wallets: pay what is asked, name its reference, or say what is lacking. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import type { Address } from "../../core/chains/address.ts"
import type { PaymentAsked } from "../../core/chains/family.ts"
import { PayerTransactions } from "../../core/ports/payer-transactions.ts"

export interface Payer {
  readonly address: Address
  /** Signs what was made for it and sends it. */
  readonly send: (transaction: string) => Effect.Effect<void>
}

export class PayersWorld extends Context.Service<
  PayersWorld,
  {
    /** Asks for so much, for an owner of its own who can be paid, under a reference of its own. */
    readonly asking: (units: bigint) => Effect.Effect<PaymentAsked>
    /** Somebody with so much USDC, and with coins for fees or none. */
    readonly payer: (amountMicro: bigint, hasCoin?: boolean) => Effect.Effect<Payer>
    readonly held: (owner: string) => Effect.Effect<bigint>
    /** How many transactions name a reference. */
    readonly named: (reference: string) => Effect.Effect<number>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/PayersWorld") {}

export const suite = <E>(name: string, world: Layer.Layer<PayerTransactions | PayersWorld, E>) =>
  layer(world)(`${name}: transactions for payers' wallets`, (it) => {
    it.effect("one pays exactly what is asked, and names the reference", () =>
      Effect.gen(function* () {
        const { asking, held, named, payer } = yield* PayersWorld
        const { make } = yield* PayerTransactions
        const [asked, somebody] = [yield* asking(7_000_001n), yield* payer(10_000_000n)]
        const made = yield* make(asked, somebody.address)
        if (made._tag !== "made") return assert.fail(made._tag)
        assert.strictEqual(yield* held(asked.payTo), 0n)
        yield* somebody.send(made.transaction)
        assert.deepStrictEqual(
          [yield* held(asked.payTo), yield* held(somebody.address)],
          [7_000_001n, 2_999_999n]
        )
        assert.strictEqual(yield* named(asked.reference ?? ""), 1)
      })
    )

    it.effect("who holds too little, or nothing for the fee, is told so", () =>
      Effect.gen(function* () {
        const { asking, payer } = yield* PayersWorld
        const { make } = yield* PayerTransactions
        const asked = yield* asking(7_000_001n)
        const told = (amountMicro: bigint, hasCoin?: boolean) =>
          Effect.flatMap(payer(amountMicro, hasCoin), ({ address }) => make(asked, address))
        assert.deepStrictEqual(yield* told(7_000_000n), {
          _tag: "too_little",
          heldMicro: 7_000_000n
        } as never)
        assert.deepInclude(yield* told(0n), { _tag: "too_little", heldMicro: 0n } as never)
        assert.deepStrictEqual(yield* told(7_000_001n, false), { _tag: "no_coin" })
        assert.strictEqual((yield* told(7_000_001n))._tag, "made")
      })
    )

    it.effect("while the chain is away none is made", () =>
      Effect.gen(function* () {
        const { asking, outage, payer } = yield* PayersWorld
        const { make } = yield* PayerTransactions
        const [asked, { address }] = [yield* asking(5n), yield* payer(10n)]
        yield* outage(true)
        const failed = yield* Effect.flip(make(asked, address))
        yield* outage(false)
        assert.deepStrictEqual([failed._tag, failed.chainId], ["ChainUnavailable", asked.chain.id])
        assert.strictEqual((yield* make(asked, address))._tag, "made")
      })
    )
  })
