/** What everybody must do who opens the accounts that USDC lies in: open one once, and say what the chain has. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import type { Address } from "../../core/chains/address.ts"
import { TokenAccounts } from "../../core/ports/token-accounts.ts"

export class AccountsWorld extends Context.Service<
  AccountsWorld,
  {
    readonly chainId: string
    /** An owner nobody had before. */
    readonly someone: Effect.Effect<Address>
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<void>
    /** Lets what was handed over come into a block that counts. */
    readonly mine: Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/AccountsWorld") {}

export const suite = <E>(name: string, world: Layer.Layer<TokenAccounts | AccountsWorld, E>) =>
  layer(world)(`${name}: token accounts`, (it) => {
    it.effect(
      "one is opened once, however often it is asked for, and its cost is known before",
      () =>
        Effect.gen(function* () {
          const { chainId, mine, someone } = yield* AccountsWorld
          const { cost, isOpen, open } = yield* TokenAccounts
          const owner = yield* someone
          assert.isFalse(yield* isOpen(chainId, owner))
          assert.isTrue((yield* cost(chainId)) > 1_000_000n)
          for (let times = 0; times < 2; times++) {
            yield* open(chainId, owner)
            yield* mine
            assert.isTrue(yield* isOpen(chainId, owner))
          }
          assert.isFalse(yield* isOpen(chainId, yield* someone))
        })
    )

    it.effect("whoever was paid has one", () =>
      Effect.gen(function* () {
        const { chainId, mine, pay, someone } = yield* AccountsWorld
        const owner = yield* someone
        yield* pay(owner, 5n)
        yield* mine
        assert.isTrue(yield* (yield* TokenAccounts).isOpen(chainId, owner))
      })
    )

    it.effect("while the chain is away nothing is known of it", () =>
      Effect.gen(function* () {
        const { chainId, outage, someone } = yield* AccountsWorld
        const { cost, isOpen, open } = yield* TokenAccounts
        const owner = yield* someone
        yield* outage(true)
        const asked = [
          yield* Effect.flip(isOpen(chainId, owner)),
          yield* Effect.flip(cost(chainId)),
          yield* Effect.flip(open(chainId, owner))
        ]
        yield* outage(false)
        assert.deepStrictEqual(
          asked.map(({ _tag, chainId: on }) => [_tag, on]),
          Array(3).fill(["ChainUnavailable", chainId])
        )
        assert.isFalse(yield* isOpen(chainId, owner))
      })
    )
  })
