/** Stories of what is held: totals that add up, spam that counts for nothing, and chains and markets that are away. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const spam = { symbol: "USDC", name: "Claim your reward", decimals: 6, amount: 10n ** 15n }

const ether = 10n ** 18n

const ownWallet = Effect.fnUntraced(function* (world: World) {
  const { wallets } = yield* world.calls.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  assert.isDefined(wallet)
  return { walletId: wallet?.id as string, address: wallet?.address as string }
})

/** Values as millionths, so that sums are exact. */
const microOf = (usd: string): bigint => {
  const [whole = "", fraction = ""] = usd.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}

const totalOf = (values: ReadonlyArray<string | null>): bigint =>
  values.reduce((total, usd) => total + microOf(usd ?? "0.00"), 0n)

export const portfolio: ReadonlyArray<Story> = [
  {
    title: "a wallet with 12.50 USDC is worth 12.50, in its holdings and in the portfolio",
    tell: Effect.fnUntraced(function* (world) {
      const { walletId, address } = yield* ownWallet(world)
      yield* world.pay(address, 12_500_000n)
      const holdings = yield* world.calls.get_holdings({ walletId })
      assert.strictEqual(holdings.totalUsd, "12.50")
      assert.deepInclude(holdings.holdings[0], {
        symbol: "USDC",
        balance: "12500000",
        balanceFormatted: "12.50",
        priceUsd: "1.00",
        valueUsd: "12.50",
        change24hPct: "0.00",
        verified: true,
        spam: false
      })
      const all = yield* world.calls.get_portfolio({})
      assert.deepInclude(all, {
        totalUsd: "12.50",
        netWorthUsd: "12.50",
        change24hPct: "0.00",
        stale: false,
        unavailableChains: []
      })
      const row = all.wallets.find(({ id }) => id === walletId)
      assert.deepInclude(row, { address, chain: "local", chainId: "local", balanceUsd: "12.50" })
    })
  },
  {
    title: "a portfolio counts vaults too, and its parts add up to its whole",
    tell: Effect.fnUntraced(function* (world) {
      const { address } = yield* ownWallet(world)
      const vault = yield* Scene.vault(world)
      yield* world.priceCoin("2345.678901234", "10")
      yield* world.pay(address, 1n)
      yield* world.pay(vault.address, 7_000_000n)
      yield* world.giveCoins(address, ether / 3n)
      yield* world.giveCoins(vault.address, ether / 7n)
      const all = yield* world.calls.get_portfolio({})
      const total = microOf(all.totalUsd)
      assert.strictEqual(totalOf(all.wallets.map(({ balanceUsd }) => balanceUsd)), total)
      assert.strictEqual(totalOf(all.tokens.map(({ valueUsd }) => valueUsd)), total)
      assert.deepStrictEqual(
        all.tokens.map(({ symbol, balance }) => [symbol, balance]),
        [
          ["ETH", (ether / 3n + ether / 7n).toString()],
          ["USDC", "7000001"]
        ]
      )
      assert.isNull(all.tokens[0]?.tokenAddress)
      assert.strictEqual(all.tokens[0]?.priceUsd, "2345.678901234")
      // 781.892967 and 335.096985 of coins, each rounded down, and 7.000001 of USDC.
      assert.strictEqual(all.totalUsd, "1123.989953")
      assert.isNotNull(all.pricesAsOf)
      assert.isFalse(all.stale)
    })
  },
  {
    title:
      "a token nobody vouches for is hidden and counted, and worth nothing even when asked for",
    tell: Effect.fnUntraced(function* (world) {
      const { walletId, address } = yield* ownWallet(world)
      yield* world.pay(address, 12_500_000n)
      const tokenAddress = yield* world.airdrop({ ...spam, to: address })
      const hidden = yield* world.calls.get_holdings({ walletId })
      assert.deepStrictEqual(
        [hidden.holdings.length, hidden.totalUsd, hidden.hiddenSpamCount],
        [1, "12.50", 1]
      )
      const shown = yield* world.calls.get_holdings({ walletId, includeSpam: true })
      assert.deepStrictEqual([shown.totalUsd, shown.hiddenSpamCount], ["12.50", 0])
      const last = shown.holdings.at(-1)
      assert.strictEqual(last?.tokenAddress?.toLowerCase(), tokenAddress)
      assert.deepInclude(last, {
        symbol: "USDC",
        name: "Claim your reward",
        balance: "1000000000000000",
        priceUsd: null,
        valueUsd: null,
        verified: false,
        spam: true
      })
      const all = yield* world.calls.get_portfolio({})
      assert.deepInclude(all, { totalUsd: "12.50", hiddenSpamCount: 1 })
      assert.lengthOf(all.tokens, 1)
      const first = yield* world.calls.get_holdings({ walletId, includeSpam: true, limit: 1 })
      assert.deepStrictEqual([first.hasMore, first.holdings[0]?.verified], [true, true])
      const cursor = first.nextCursor ?? ""
      const next = yield* world.calls.get_holdings({ walletId, includeSpam: true, cursor })
      assert.deepStrictEqual([next.hasMore, next.nextCursor, next.holdings], [false, null, [last]])
    })
  },
  {
    title: "while the market is away, the last prices stand, said to be stale",
    tell: Effect.fnUntraced(function* (world) {
      const { walletId, address } = yield* ownWallet(world)
      yield* world.pay(address, 5_000_000n)
      yield* world.marketAway(true)
      const money = yield* world.calls.get_holdings({ walletId })
      assert.deepStrictEqual([money.totalUsd, money.stale], ["5.00", false])
      yield* world.marketAway(false)
      yield* world.giveCoins(address, ether / 2n)
      yield* world.priceCoin("2000", "25")
      const before = yield* world.calls.get_holdings({ walletId })
      assert.deepInclude(before, { totalUsd: "1005.00", change24hPct: "24.84", stale: false })
      yield* world.marketAway(true)
      const away = yield* world.calls.get_holdings({ walletId })
      assert.deepInclude(away, { totalUsd: "1005.00", stale: true })
      assert.strictEqual(away.holdings[0]?.valueUsd, "1000.00")
      assert.isNotNull(away.pricesAsOf)
      assert.isTrue((yield* world.calls.get_portfolio({})).stale)
    })
  },
  {
    title: "while the chain is away nothing is told of it, rather than nothing held",
    tell: Effect.fnUntraced(function* (world) {
      const { walletId } = yield* ownWallet(world)
      yield* world.chainAway(true)
      const refusals = [
        yield* Scene.refusal(world.calls.get_holdings({ walletId })),
        yield* Scene.refusal(world.calls.get_portfolio({}))
      ]
      for (const refused of refusals) {
        assert.deepInclude(refused, { code: "UPSTREAM_UNAVAILABLE", outcome: "not_executed" })
      }
      yield* world.chainAway(false)
      assert.isFalse((yield* world.calls.get_portfolio({})).stale)
    })
  }
]
