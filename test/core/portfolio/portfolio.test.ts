/** The portfolio over several chains, one of which is away, and of tokens that have no price or a broken contract. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import fc from "fast-check"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as MemoryHoldings from "../../../adapters/memory/holdings.ts"
import * as MemoryPrices from "../../../adapters/memory/prices.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { plain } from "../../../core/tokens/token.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"

const connectedTo = (id: string, usdc: string) => ({
  chain: Chain.find(id) ?? assert.fail(id),
  usdc: `0x${usdc.repeat(20)}`,
  confirmations: 3,
  pollMs: 1000
})

const gold = {
  chainId: "base",
  address: Value.lower(`0x${"9d".repeat(20)}`),
  symbol: "GOLD",
  name: "Gold"
}

const world = Layer.suspend(() => {
  const state = ScriptedChain.makeState([connectedTo("base", "05"), connectedTo("optimism", "06")])
  return Layer.mergeAll(
    Wiring.layer({ store: new Store(), chain: state }, 1),
    MemoryChains.layer(state),
    MemoryHoldings.layer(state),
    Settings.layer({
      ...Settings.defaults,
      siteUrl: Wiring.siteUrl,
      livemode: false,
      tokens: [{ ...gold, ...plain, decimals: 2 }]
    })
  )
})

/** An account with wallets on these chains. */
const accountOn = Effect.fnUntraced(function* (chainIds: ReadonlyArray<string>) {
  const { accountId, call } = yield* Accounts.opened()
  const book = yield* Wallets
  const wallets = chainIds.map((chainId) => Rows.aWallet(accountId, { chainId }))
  for (const wallet of wallets) yield* book.add(wallet)
  return { wallets, call }
})

it.effect("a chain that is away is left out and named, and the rest still counts", () =>
  Effect.gen(function* () {
    const { pay, outage, airdrop } = yield* MemoryChains.ChainScript
    const nobody = `0x${"00".repeat(20)}`
    const dropped = { ...gold, decimals: 2, tokenAddress: gold.address }
    yield* airdrop({ ...dropped, to: nobody, amount: 1n, chainId: "base" })
    const { wallets, call } = yield* accountOn(["base", "optimism", "base"])
    const [one, away, other] = wallets
    for (const wallet of wallets) {
      const { address: to, chainId } = wallet
      yield* pay({ to, amountMicro: 2_000_000n, chainId })
    }
    assert.deepInclude(yield* call.get_portfolio({}), { totalUsd: "6.00", stale: false })
    yield* outage(true, "optimism")
    const told = yield* call.get_portfolio({})
    assert.deepInclude(told, {
      totalUsd: "4.00",
      netWorthUsd: "4.00",
      netWorthParts: { holdings: "4.00", yieldPositions: "0.00", inTransit: "0.00" },
      stale: true,
      unavailableChains: ["optimism"]
    })
    assert.sameMembers(
      told.wallets.map(({ id }) => id),
      [one?.id, other?.id]
    )
    const refused = yield* Effect.flip(call.get_holdings({ walletId: away?.id ?? "" }))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
    assert.isTrue(refused.retryable)
    yield* call.get_holdings({ walletId: one?.id ?? "" })
  }).pipe(Effect.provide(world))
)

it.effect("a wallet on a chain that is no longer connected is treated as one that is away", () =>
  Effect.gen(function* () {
    const { wallets, call } = yield* accountOn(["polygon", "base"])
    const told = yield* call.get_portfolio({})
    assert.deepInclude(told, { unavailableChains: ["polygon"], stale: true })
    assert.lengthOf(told.wallets, 1)
    const refused = yield* Effect.flip(call.get_holdings({ walletId: wallets[0]?.id ?? "" }))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
  }).pipe(Effect.provide(world))
)

it.effect("an account without wallets is worth nothing, and that is certain", () =>
  Effect.gen(function* () {
    const { call } = yield* accountOn([])
    assert.deepStrictEqual(yield* call.get_portfolio({}), {
      totalUsd: "0.00",
      netWorthUsd: "0.00",
      netWorthParts: { holdings: "0.00", yieldPositions: "0.00", inTransit: "0.00" },
      change24hPct: null,
      totalsAsOf: DateTime.formatIso(yield* DateTime.now),
      totalsComplete: true,
      wallets: [],
      tokens: [],
      pricesAsOf: null,
      stale: false,
      hiddenSpamCount: 0,
      unavailableChains: [],
      hasMore: false,
      nextCursor: null
    })
  }).pipe(Effect.provide(world))
)

it.effect("a listed token is worth what the operator's decimals and the market say", () =>
  Effect.gen(function* () {
    const { airdrop } = yield* MemoryChains.ChainScript
    const { quote } = yield* MemoryPrices.PriceScript
    const { wallets, call } = yield* accountOn(["base"])
    const [{ id: walletId, address: to } = assert.fail("no wallet")] = wallets
    const lying = { symbol: "EVIL", name: "Evil", decimals: 2, tokenAddress: gold.address }
    yield* airdrop({ ...lying, to, amount: 150n, chainId: "base" })
    const unpriced = yield* call.get_holdings({ walletId })
    assert.deepInclude(unpriced, { totalUsd: "0.00", hiddenSpamCount: 0 })
    // It is shown by the operator's words, whatever its contract calls itself.
    const facts = { symbol: "GOLD", name: "Gold", decimals: 2, balanceFormatted: "1.50" }
    const nothing = { priceUsd: null, valueUsd: null, change24hPct: null }
    assert.deepInclude(unpriced.holdings[0], { ...facts, ...nothing, verified: true })
    yield* quote({ chainId: "base", address: gold.address, usd: "2000.10" })
    const priced = yield* call.get_holdings({ walletId })
    // Its price is known and its change is not, so the change of the whole is not known either.
    assert.deepInclude(priced, { totalUsd: "3000.15", change24hPct: null })
    assert.deepInclude(priced.holdings[0], { ...facts, priceUsd: "2000.10", valueUsd: "3000.15" })
  }).pipe(Effect.provide(world))
)

it.effect(
  "a price that a second source contradicts counts for nothing, and is said to be missing",
  () =>
    Effect.gen(function* () {
      const { airdrop } = yield* MemoryChains.ChainScript
      const { quote } = yield* MemoryPrices.PriceScript
      const { wallets, call } = yield* accountOn(["base"])
      const [{ id: walletId, address: to } = assert.fail("no wallet")] = wallets
      const bought = { symbol: "GOLD", decimals: 2, tokenAddress: gold.address }
      yield* airdrop({ ...bought, to, amount: 150n, chainId: "base" })
      const told = Effect.fnUntraced(function* (secondUsd: string | null) {
        yield* quote({ chainId: "base", address: gold.address, usd: "2000", secondUsd })
        const { holdings, stale, totalUsd } = yield* call.get_holdings({ walletId })
        return { totalUsd, stale, priceUsd: holdings[0]?.priceUsd }
      })
      const valued = { totalUsd: "3000.00", stale: false, priceUsd: "2000.00" }
      assert.deepStrictEqual(yield* told("2040"), valued)
      // Who does not know the token contradicts nobody.
      assert.deepStrictEqual(yield* told(null), valued)
      const contradicted = { totalUsd: "0.00", stale: true, priceUsd: null }
      assert.deepStrictEqual(yield* told("2041"), contradicted)
      assert.deepStrictEqual(yield* told("1959"), contradicted)
      assert.deepInclude(yield* call.get_portfolio({}), { netWorthUsd: "0.00", stale: true })
    }).pipe(Effect.provide(world))
)

it.effect(
  "a token whose contract gives no number, or claims other decimals, makes the answer say that it is not whole",
  () =>
    Effect.gen(function* () {
      const { pay } = yield* MemoryChains.ChainScript
      const { wallets, call } = yield* accountOn(["base"])
      const [{ id: walletId, address: to } = assert.fail("no wallet")] = wallets
      yield* pay({ to, amountMicro: 1_000_000n, chainId: "base" })
      // Nobody has deployed the operator's token here.
      const told = yield* call.get_holdings({ walletId })
      assert.deepInclude(told, { totalUsd: "1.00", stale: true })
      // And here its contract claims other decimals than the operator does.
      const { airdrop } = yield* MemoryChains.ChainScript
      const { quote } = yield* MemoryPrices.PriceScript
      yield* quote({ chainId: "base", address: gold.address, usd: "2000" })
      const claiming = { symbol: "GOLD", decimals: 18, tokenAddress: gold.address }
      yield* airdrop({ ...claiming, to, amount: 10n ** 18n, chainId: "base" })
      const doubtful = yield* call.get_holdings({ walletId, includeSpam: true })
      assert.deepInclude(doubtful, { totalUsd: "1.00", stale: true })
      assert.lengthOf(doubtful.holdings, 1)
    }).pipe(Effect.provide(world))
)

/** Millionths in a text of dollars. */
const microOf = (usd: string | null): bigint => {
  const [whole = "", fraction = ""] = (usd ?? "0.0").split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}

const totalOf = (values: ReadonlyArray<string | null>): bigint =>
  values.reduce((total, usd) => total + microOf(usd), 0n)

/** A price as a numerator and the power of ten below it. */
const anyPrice = fc.tuple(fc.bigInt(1n, 10n ** 12n), fc.nat(12))

const anyPortfolio = fc.record({
  coin: anyPrice,
  gold: anyPrice,
  wallets: fc.array(
    fc.record({
      micro: fc.bigInt(0n, 10n ** 13n),
      coins: fc.bigInt(0n, 10n ** 21n),
      golden: fc.bigInt(0n, 10n ** 9n)
    }),
    { minLength: 1, maxLength: 6 }
  )
})

it.effect(
  "whatever is held, the wallets and the tokens add up to the total, and it is what it is worth",
  () =>
    Effect.gen(function* () {
      const { fund, airdrop, giveCoins } = yield* MemoryChains.ChainScript
      const { quote } = yield* MemoryPrices.PriceScript
      for (const { coin, gold: ounce, wallets: held } of fc.sample(anyPortfolio, 200)) {
        const { wallets, call } = yield* accountOn(held.map(() => "base"))
        const usdOf = ([digits, shift]: typeof coin) => `${digits}e-${shift}`
        yield* quote({ chainId: "base", address: null, usd: usdOf(coin) })
        yield* quote({ chainId: "base", address: gold.address, usd: usdOf(ounce) })
        const worth = new Map<string, bigint>()
        for (const [at, { micro, coins, golden }] of held.entries()) {
          const { id, address: to } = wallets[at] ?? assert.fail("no wallet")
          if (micro > 0n) yield* fund(to, micro, "base")
          yield* giveCoins(to, coins, "base")
          const token = { symbol: "GOLD", decimals: 2, tokenAddress: gold.address }
          yield* airdrop({ ...token, to, amount: golden, chainId: "base" })
          const worthOf = (balance: bigint, decimals: bigint, [digits, shift]: typeof coin) =>
            (balance * digits * 10n ** 6n) / 10n ** (decimals + BigInt(shift))
          worth.set(id, micro + worthOf(coins, 18n, coin) + worthOf(golden, 2n, ounce))
        }
        const told = yield* call.get_portfolio({})
        for (const { id, balanceUsd } of told.wallets) {
          assert.strictEqual(microOf(balanceUsd), worth.get(id))
          const shown = yield* call.get_holdings({ walletId: id })
          assert.strictEqual(shown.totalUsd, balanceUsd)
          assert.strictEqual(totalOf(shown.holdings.map(({ valueUsd }) => valueUsd)), worth.get(id))
        }
        const total = microOf(told.totalUsd)
        assert.strictEqual(totalOf(told.wallets.map(({ balanceUsd }) => balanceUsd)), total)
        assert.strictEqual(totalOf(told.tokens.map(({ valueUsd }) => valueUsd)), total)
      }
    }).pipe(Effect.provide(world))
)
