/** What every reader of yield vaults must do: what is in them to the last unit, and nothing of a vault that lies. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { type Address, type AddressKey, shown } from "../../core/chains/address.ts"
import { YieldPositions } from "../../core/ports/yield-positions.ts"
import * as Value from "../support/chain-values.ts"

/** A chain with a vault of USDC that had earned nothing when a suite begins. */
export class VaultWorld extends Context.Service<
  VaultWorld,
  {
    readonly chainId: string
    readonly usdc: AddressKey
    readonly vault: AddressKey
    /** Another vault of the same kind that nobody vouches for. */
    readonly otherVault: AddressKey
    /** Puts USDC in for somebody. */
    readonly deposit: (vault: AddressKey, to: Address, amountMicro: bigint) => Effect.Effect<void>
    /** All shares together are worth so much more from now on. */
    readonly earn: (vault: AddressKey, amountMicro: bigint) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/VaultWorld") {}

let addresses = 0

const someone = () =>
  shown("local", `0x${(++addresses).toString(16).padStart(8, "0")}${"ef".repeat(16)}`)

const asked = Effect.fnUntraced(function* (
  owners: ReadonlyArray<Address>,
  over: { readonly asset?: AddressKey; readonly kind?: "erc4626" | "aave_v3" } = {}
) {
  const { chainId, usdc, vault } = yield* VaultWorld
  const reference = { kind: "erc4626", address: vault, asset: usdc, ...over } as const
  return yield* (yield* YieldPositions).positions(chainId, owners, [reference])
})

export const suite = (name: string, world: Layer.Layer<YieldPositions | VaultWorld>) =>
  layer(world)(`${name}: yield positions`, (it) => {
    it.effect("who has put in has shares, what they are worth, and what can be taken out", () =>
      Effect.gen(function* () {
        const { deposit, earn, usdc, vault } = yield* VaultWorld
        const [rich, poor, nobody] = [someone(), someone(), someone()]
        yield* deposit(vault, rich, 900_000_000n)
        yield* deposit(vault, poor, 100_000_000n)
        const before = yield* asked([rich, nobody])
        assert.deepStrictEqual(
          before.map(({ assets, owner, withdrawable }) => ({ assets, owner, withdrawable })),
          [{ assets: 900_000_000n, owner: rich, withdrawable: 900_000_000n }]
        )
        yield* earn(vault, 50_000_000n)
        const after = yield* asked([nobody, poor, rich])
        assert.sameMembers(
          after.map(({ owner }) => owner),
          [rich, poor]
        )
        for (const { asset, assets, owner, shares, vault: of, withdrawable } of after) {
          const put = owner === rich ? 900_000_000n : 100_000_000n
          assert.deepStrictEqual([asset, of], [usdc, vault])
          // A twentieth more, rounded down.
          assert.isTrue(
            assets <= (put * 21n) / 20n && assets >= (put * 21n) / 20n - 2n,
            `${assets}`
          )
          assert.isTrue(shares > 0n && withdrawable <= assets && withdrawable >= assets - 2n)
        }
      })
    )

    it.effect("a vault that holds another token than it is known for is not read", () =>
      Effect.gen(function* () {
        const { deposit, vault } = yield* VaultWorld
        const owner = someone()
        yield* deposit(vault, owner, 5_000_000n)
        const other = Value.key(`0x${"77".repeat(20)}`)
        assert.deepStrictEqual(yield* asked([owner], { asset: other }), [])
        assert.deepStrictEqual(yield* asked([owner], { kind: "aave_v3" }), [])
        assert.lengthOf(yield* asked([owner]), 1)
      })
    )

    it.effect("its state tells how much is in it, and of what is no vault nothing", () =>
      Effect.gen(function* () {
        const { chainId, deposit, usdc, vault } = yield* VaultWorld
        const { states } = yield* YieldPositions
        const kind = "erc4626" as const
        const ours = { kind, address: vault, asset: usdc }
        const [before] = yield* states(chainId, [ours])
        yield* deposit(vault, someone(), 7_000_000n)
        const [none, after] = yield* states(chainId, [{ ...ours, address: usdc }, ours])
        assert.isUndefined(none)
        const grown = (after?.totalAssets ?? 0n) - (before?.totalAssets ?? 0n)
        assert.isTrue(grown >= 6_999_998n && grown <= 7_000_002n, `${grown}`)
        assert.deepStrictEqual(yield* states(chainId, []), [])
      })
    )

    it.effect("a token that answers as a vault is told from one that does not", () =>
      Effect.gen(function* () {
        const { chainId, deposit, otherVault, usdc } = yield* VaultWorld
        const owner = someone()
        yield* deposit(otherVault, owner, 3_000_000n)
        const held = [otherVault, usdc, Value.key(`0x${"77".repeat(20)}`)].map((token) => ({
          owner,
          token,
          balance: 1_000_000n
        }))
        const found = yield* (yield* YieldPositions).unknown(chainId, held)
        assert.deepStrictEqual(
          found.map(({ asset, owner: of, shares, vault }) => [asset, of, shares, vault]),
          [[usdc, owner, 1_000_000n, otherVault]]
        )
      })
    )

    it.effect("while the chain is away it says so, whatever is asked", () =>
      Effect.gen(function* () {
        const { chainId, outage, usdc, vault } = yield* VaultWorld
        const { states, unknown } = yield* YieldPositions
        const owner = someone()
        yield* outage(true)
        const failed = yield* Effect.all([
          Effect.flip(asked([owner])),
          Effect.flip(states(chainId, [{ kind: "erc4626", address: vault, asset: usdc }])),
          Effect.flip(unknown(chainId, [{ owner, token: vault, balance: 1n }]))
        ])
        yield* outage(false)
        assert.deepStrictEqual(
          failed.map((each) => [each._tag, each.chainId]),
          failed.map(() => ["ChainUnavailable", chainId])
        )
        assert.deepStrictEqual(yield* asked([owner]), [])
      })
    )
  })
