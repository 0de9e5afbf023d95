/** What every reader of holdings must do: exact balances in the order asked, and a stranger's tokens as they are. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Address, type AddressKey, shown } from "../../core/chains/address.ts"
import { Holdings } from "../../core/ports/holdings.ts"
import * as Value from "../support/chain-values.ts"
import { type Dropped, HoldingWorld } from "../support/holdings-chain.ts"

let addresses = 0

/** An address that nobody had before, as wallets have theirs. */
const someone = () =>
  shown("local", `0x${(++addresses).toString(16).padStart(8, "0")}${"cd".repeat(16)}`)

const nobodysContract = Value.key(`0x${"77".repeat(20)}`)

const euro: Omit<Dropped, "to" | "amount"> = { name: "Euro Coin", symbol: "EURC", decimals: 6 }

/** All tokens asked for here have six decimals, unless said otherwise; the coin has eighteen. */
const balancesOf = Effect.fnUntraced(function* (
  holders: ReadonlyArray<Address>,
  addresses: ReadonlyArray<AddressKey | null>,
  decimals = 6
) {
  const known = addresses.map((address) => ({
    address,
    decimals: address === null ? 18 : decimals
  }))
  return yield* (yield* Holdings).balances((yield* HoldingWorld).chainId, holders, known)
})

const receivedBy = Effect.fnUntraced(function* (
  holders: ReadonlyArray<Address>,
  except: ReadonlyArray<AddressKey> = []
) {
  const { chainId, usdc } = yield* HoldingWorld
  return yield* (yield* Holdings).received(chainId, holders, [usdc, ...except])
})

export const suite = (name: string, world: Layer.Layer<Holdings | HoldingWorld>) => {
  balanceSuite(name, world)
  receivedSuite(name, world)
}

const balanceSuite = (name: string, world: Layer.Layer<Holdings | HoldingWorld>) =>
  layer(world)(`${name}: holdings, what is asked for`, (it) => {
    it.effect("balances stand in the order asked, to the last unit", () =>
      Effect.gen(function* () {
        const { pay, giveCoins, airdrop, usdc } = yield* HoldingWorld
        const [rich, poor] = [someone(), someone()]
        yield* pay(rich, 12_500_001n)
        yield* giveCoins(rich, 10n ** 18n + 7n)
        const token = yield* airdrop({ ...euro, to: poor, amount: 10n ** 24n + 1n })
        const [plenty, most] = [10n ** 18n + 7n, 10n ** 24n + 1n]
        assert.deepStrictEqual(yield* balancesOf([rich, poor], [null, usdc, token]), [
          [plenty, 12_500_001n, 0n],
          [0n, 0n, most]
        ])
        assert.deepStrictEqual(yield* balancesOf([poor, rich], [token, null]), [
          [most, 0n],
          [0n, plenty]
        ])
      })
    )

    it.effect("a contract that gives no number spoils no other", () =>
      Effect.gen(function* () {
        const { pay, usdc } = yield* HoldingWorld
        const holder = someone()
        yield* pay(holder, 5n)
        assert.deepStrictEqual(yield* balancesOf([holder], [nobodysContract, usdc]), [
          [undefined, 5n]
        ])
      })
    )

    it.effect("a contract that claims other decimals than are known has no balance", () =>
      Effect.gen(function* () {
        const { airdrop, pay, usdc } = yield* HoldingWorld
        const holder = someone()
        yield* pay(holder, 5n)
        const token = yield* airdrop({ ...euro, to: holder, amount: 8n })
        assert.deepStrictEqual(yield* balancesOf([holder], [token, null]), [[8n, 0n]])
        for (const decimals of [0, 5, 7, 18]) {
          assert.deepStrictEqual(yield* balancesOf([holder], [token], decimals), [[undefined]])
        }
        assert.deepStrictEqual(yield* balancesOf([holder], [usdc, token]), [[5n, 8n]])
      })
    )

    it.effect("many addresses are answered whole, and none at all too", () =>
      Effect.gen(function* () {
        const { pay, usdc } = yield* HoldingWorld
        const holders = Array.from({ length: 450 }, someone)
        yield* pay(holders[0] as string, 1n)
        yield* pay(holders[449] as string, 2n)
        const rows = yield* balancesOf(holders, [usdc, null])
        assert.lengthOf(rows, 450)
        assert.deepStrictEqual(
          [rows[0], rows[1], rows[449]],
          [
            [1n, 0n],
            [0n, 0n],
            [2n, 0n]
          ]
        )
        assert.deepStrictEqual(yield* balancesOf([], [usdc]), [])
        assert.deepStrictEqual(yield* balancesOf(holders.slice(0, 1), []), [[]])
      })
    )

    it.effect("while the chain is away it says so, whatever is asked", () =>
      Effect.gen(function* () {
        const { outage, usdc, chainId } = yield* HoldingWorld
        yield* outage(true)
        const balances = yield* Effect.flip(balancesOf([someone()], [usdc]))
        const received = yield* Effect.flip(receivedBy([someone()]))
        yield* outage(false)
        assert.deepStrictEqual(
          [balances, received].map((failed) => [failed._tag, failed.chainId, failed.isRetryable]),
          [
            ["ChainUnavailable", chainId, true],
            ["ChainUnavailable", chainId, true]
          ]
        )
        assert.lengthOf(yield* balancesOf([someone()], [usdc]), 1)
      })
    )
  })

const receivedSuite = (name: string, world: Layer.Layer<Holdings | HoldingWorld>) =>
  layer(world)(`${name}: holdings, what came unasked`, (it) => {
    it.effect("a token is found in the words of its contract, once however often it came", () =>
      Effect.gen(function* () {
        const { airdrop, pay } = yield* HoldingWorld
        const [holder, other] = [someone(), someone()]
        const facts = { name: "Visit claim.example ✓", symbol: "USD\u202eC", decimals: 3 }
        const token = yield* airdrop({ ...facts, to: holder, amount: 40n })
        yield* airdrop({ ...facts, to: holder, amount: 2n })
        yield* pay(holder, 9n)
        const found = { holder, tokenAddress: token, ...facts, balance: 42n }
        assert.deepStrictEqual(yield* receivedBy([other, holder]), [found])
        assert.deepStrictEqual(yield* receivedBy([other]), [])
      })
    )

    it.effect("what is known already is not reported, and each holder has its own", () =>
      Effect.gen(function* () {
        const { airdrop } = yield* HoldingWorld
        const [one, other] = [someone(), someone()]
        const known = yield* airdrop({ ...euro, to: one, amount: 1n })
        const facts = { name: "Other", symbol: "OTHER", decimals: 0 }
        yield* airdrop({ ...facts, to: one, amount: 7n })
        yield* airdrop({ ...facts, to: other, amount: 8n })
        const found = yield* receivedBy([one, other], [known])
        assert.sameDeepMembers(
          found.map(({ holder, symbol, balance }) => ({ holder, symbol, balance })),
          [
            { holder: one, symbol: "OTHER", balance: 7n },
            { holder: other, symbol: "OTHER", balance: 8n }
          ]
        )
      })
    )

    it.effect("a token of unbelievable decimals is not reported", () =>
      Effect.gen(function* () {
        const { airdrop } = yield* HoldingWorld
        const holder = someone()
        for (const decimals of [0, 36, 37, 255]) {
          yield* airdrop({ name: "Odd", symbol: `D${decimals}`, decimals, to: holder, amount: 1n })
        }
        const found = yield* receivedBy([holder])
        assert.sameMembers(
          found.map(({ symbol }) => symbol),
          ["D0", "D36"]
        )
      })
    )

    it.effect("a name without end is cut", () =>
      Effect.gen(function* () {
        const { airdrop } = yield* HoldingWorld
        const holder = someone()
        const text = "A".repeat(300)
        yield* airdrop({ name: text, symbol: text, decimals: 18, to: holder, amount: 1n })
        const [found] = yield* receivedBy([holder])
        assert.strictEqual(found?.name, "A".repeat(256))
        assert.strictEqual(found?.symbol, "A".repeat(256))
      })
    )
  })
