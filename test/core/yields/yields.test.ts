/** Yields of the treasury's own list are priced and counted once; what only others know is shown as their word. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as MemoryHoldings from "../../../adapters/memory/holdings.ts"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { Store } from "../../../adapters/memory/store.ts"
import { YieldMarketScript } from "../../../adapters/memory/yield-markets.ts"
import * as MemoryVaults from "../../../adapters/memory/yield-positions.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import * as Decimal from "../../../core/money/decimal.ts"
import { plain } from "../../../core/tokens/token.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { aRate } from "../../contracts/yield-markets.contract.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"

const connectedTo = (id: string, usdc: string) => ({
  chain: Chain.find(id) ?? assert.fail(id),
  usdc: `0x${usdc.repeat(20)}`,
  confirmations: 3,
  pollMs: 1000
})

const usdc = Value.key(`0x${"05".repeat(20)}`)
const gold = Value.lower(`0x${"9d".repeat(20)}`)
const vault = Value.lower(`0x${"1a".repeat(20)}`)
const goldVault = Value.lower(`0x${"2a".repeat(20)}`)
const stranger = Value.key(`0x${"3a".repeat(20)}`)
const decimal = (text: string) => Decimal.parse(text) as Decimal.Decimal

/** The vault of USDC is also listed as a token, as an operator may do by mistake. */
const settings = {
  ...Settings.defaults,
  siteUrl: Wiring.siteUrl,
  livemode: false,
  tokens: [
    { ...plain, chainId: "base", address: gold, symbol: "GOLD", name: "Gold", decimals: 18 },
    { ...plain, chainId: "base", address: vault, symbol: "vUSDC", name: "Vault", decimals: 6 }
  ],
  yieldVaults: [
    { chainId: "base", kind: "erc4626", protocol: "steady", address: vault },
    { chainId: "base", kind: "erc4626", protocol: "steady", address: goldVault, asset: gold }
  ]
} as const

const world = Layer.suspend(() => {
  const state = ScriptedChain.makeState([connectedTo("base", "05"), connectedTo("optimism", "06")])
  return Layer.mergeAll(
    Wiring.layer({ store: new Store(), chain: state }, 1),
    MemoryChains.layer(state),
    MemoryHoldings.layer(state),
    MemoryVaults.layer(state),
    Settings.layer(settings)
  )
})

/** A wallet on base with USDC of its own, shares of the vault of USDC worth a fifth more, and of a stranger's. */
const furnished = Effect.gen(function* () {
  const { accountId, call } = yield* Accounts.opened()
  const wallet = Rows.aWallet(accountId, { chainId: "base" })
  yield* (yield* Wallets).add(wallet)
  const { airdrop, pay } = yield* MemoryChains.ChainScript
  const { tell } = yield* MemoryVaults.VaultScript
  const sharesOf = (tokenAddress: string, amount: bigint) =>
    airdrop({
      chainId: "base",
      to: wallet.address,
      amount,
      tokenAddress,
      symbol: "vUSDC",
      name: "USD Coin vault",
      decimals: 6
    })
  const nobody = Value.address(`0x${"ee".repeat(20)}`)
  yield* airdrop({ chainId: "base", to: nobody, amount: 1n, tokenAddress: gold, symbol: "GOLD" })
  yield* pay({ to: wallet.address, amountMicro: 10_000_000n, chainId: "base" })
  yield* sharesOf(vault, 100_000_000n)
  yield* sharesOf(stranger, 7_000_000n)
  const kind = "erc4626" as const
  const apyPct = decimal("4.5")
  yield* tell("base", vault, {
    kind,
    asset: usdc,
    assetsPerMillion: 1_200_000n,
    liquid: 50_000_000n,
    apyPct
  })
  yield* tell("base", goldVault, { kind, asset: gold, assetsPerMillion: 1_000_000n })
  yield* tell("base", stranger, { kind, asset: usdc, assetsPerMillion: 10n ** 15n })
  return { call, wallet, sharesOf }
})

it.effect("positions are what the vaults' chain says, and a stranger's vault is not priced", () =>
  Effect.gen(function* () {
    const { call, wallet } = yield* furnished
    const { yield_positions, unavailableChainIds } = yield* call.list_yield_positions({})
    const common = {
      walletId: wallet.id,
      chainId: "base",
      asset: { symbol: "USDC", tokenAddress: Address.shown("base", usdc) },
      asOf: "1970-01-01T00:00:00.000Z",
      stale: false
    }
    assert.deepStrictEqual(unavailableChainIds, [])
    assert.sameDeepMembers(
      [...yield_positions],
      [
        {
          ...common,
          protocol: "steady",
          vaultAddress: Address.shown("base", vault),
          sharesSmallest: "100000000",
          assetsSmallest: "120000000",
          withdrawableSmallest: "50000000",
          valueUsd: "120.00",
          apyPct: "4.50",
          verified: true
        },
        {
          ...common,
          protocol: null,
          vaultAddress: Address.shown("base", stranger),
          sharesSmallest: "7000000",
          assetsSmallest: "7000000000000000",
          withdrawableSmallest: "7000000000000000",
          valueUsd: null,
          apyPct: null,
          verified: false
        }
      ]
    )
  }).pipe(Effect.provide(world))
)

it.effect("net worth counts a verified position once, though its share is listed as a token", () =>
  Effect.gen(function* () {
    const { call, sharesOf } = yield* furnished
    const { quote } = yield* PriceScript
    yield* quote({ chainId: "base", address: vault, usd: "1.2" })
    const told = yield* call.get_portfolio({})
    assert.deepInclude(told, {
      totalUsd: "10.00",
      netWorthUsd: "130.00",
      netWorthParts: { holdings: "10.00", yieldPositions: "120.00", inTransit: "0.00" },
      stale: false,
      // The stranger's share alone.
      hiddenSpamCount: 1
    })
    assert.deepStrictEqual(
      told.tokens.map(({ symbol }) => symbol),
      ["USDC"]
    )
    yield* sharesOf(goldVault, 3n * 10n ** 18n)
    yield* quote({ chainId: "base", address: gold, usd: "2000" })
    const richer = yield* call.get_portfolio({})
    assert.deepStrictEqual(richer.netWorthParts, {
      holdings: "10.00",
      yieldPositions: "6120.00",
      inTransit: "0.00"
    })
    assert.strictEqual(richer.netWorthUsd, "6130.00")
    // Without a price it is worth nothing that anybody knows.
    yield* quote({ chainId: "base", address: gold, usd: undefined })
    const unpriced = yield* call.get_portfolio({})
    assert.strictEqual(unpriced.netWorthUsd, "130.00")
    const { yield_positions } = yield* call.list_yield_positions({})
    const ofGold = yield_positions.find(({ asset }) => asset.symbol === "GOLD")
    assert.deepInclude(ofGold, { valueUsd: null, verified: true })
  }).pipe(Effect.provide(world))
)

it.effect("a chain that is away is named, and the positions of the others are listed", () =>
  Effect.gen(function* () {
    const { accountId, call } = yield* Accounts.opened()
    const book = yield* Wallets
    const [here, there] = [
      Rows.aWallet(accountId, { chainId: "base" }),
      Rows.aWallet(accountId, { chainId: "solana" })
    ]
    for (const wallet of [here, there]) yield* book.add(wallet)
    const { airdrop, outage } = yield* MemoryChains.ChainScript
    const { tell } = yield* MemoryVaults.VaultScript
    const shares = { symbol: "v", name: "v", decimals: 6, tokenAddress: vault, chainId: "base" }
    yield* airdrop({ ...shares, to: here.address, amount: 5n })
    yield* tell("base", vault, { kind: "erc4626", asset: usdc, assetsPerMillion: 1_000_000n })
    const partly = yield* call.list_yield_positions({})
    assert.deepStrictEqual(partly.unavailableChainIds, ["solana"])
    assert.lengthOf(partly.yield_positions, 1)
    yield* outage(true)
    const refused = yield* Effect.flip(call.list_yield_positions({}))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
    assert.deepStrictEqual(refused.details, { unavailableChainIds: ["base", "solana"] })
  }).pipe(Effect.provide(world))
)

it.effect("positions are paged, newest wallet first, each once", () =>
  Effect.gen(function* () {
    const { accountId, call } = yield* Accounts.opened()
    const book = yield* Wallets
    const { airdrop } = yield* MemoryChains.ChainScript
    const { tell } = yield* MemoryVaults.VaultScript
    const shares = { symbol: "v", name: "v", decimals: 6, tokenAddress: vault, chainId: "base" }
    const wallets = Array.from({ length: 5 }, (_, at) =>
      Rows.aWallet(accountId, { chainId: "base", createdAt: Rows.at(at) })
    )
    for (const wallet of wallets) {
      yield* book.add(wallet)
      yield* airdrop({ ...shares, to: wallet.address, amount: 5n })
    }
    yield* tell("base", vault, { kind: "erc4626", asset: usdc, assetsPerMillion: 1_000_000n })
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page: {
        yield_positions: ReadonlyArray<{ walletId: string }>
        nextCursor: string | null
      } = yield* call.list_yield_positions({ limit: 2, ...(cursor === "" ? {} : { cursor }) })
      assert.isAtMost(page.yield_positions.length, 2)
      seen.push(...page.yield_positions.map(({ walletId }) => walletId))
      cursor = page.nextCursor
    }
    assert.deepStrictEqual(seen, wallets.map(({ id }) => id).reverse())
  }).pipe(Effect.provide(world))
)

const rates = [
  aRate({ poolId: "big", project: "elsewhere", asset: usdc, tvlUsd: decimal("9e8") }),
  aRate({ poolId: "ours", project: "steady", asset: usdc, apyPct: decimal("6.125") }),
  aRate({ poolId: "other-token", project: "elsewhere", asset: Value.key(`0x${"77".repeat(20)}`) }),
  aRate({ poolId: "other-chain", project: "elsewhere", chainId: "arbitrum", asset: usdc })
]

it.effect("markets of the list have their vault and the provider's rate; others are its word", () =>
  Effect.gen(function* () {
    const { call } = yield* furnished
    const { tell } = yield* YieldMarketScript
    yield* tell(rates)
    const { yield_markets, ...rest } = yield* call.list_yield_markets({ chainId: "base" })
    assert.deepStrictEqual(
      yield_markets.map(({ apyPct, marketId, protocol, tvlUsd, vaultAddress, verified }) => [
        marketId,
        protocol,
        apyPct,
        tvlUsd,
        vaultAddress,
        verified
      ]),
      [
        ["big", "elsewhere", "3.25", "900000000.00", null, false],
        [
          `base:${Address.shown("base", vault)}`,
          "steady",
          "6.13",
          "1250000.50",
          Address.shown("base", vault),
          true
        ],
        // Its address is known, and nothing there answers as a vault.
        [
          "base:0x4e65fE4DbA92790696d040ac24Aa414708F5c0AB",
          "aave-v3",
          null,
          null,
          "0x4e65fE4DbA92790696d040ac24Aa414708F5c0AB",
          false
        ]
      ]
    )
    assert.deepStrictEqual(rest, {
      stale: false,
      unavailableChainIds: [],
      hasMore: false,
      nextCursor: null
    })
    const verified = yield* call.list_yield_markets({ verifiedOnly: true })
    assert.deepStrictEqual(
      verified.yield_markets.map(({ protocol }) => protocol),
      ["steady"]
    )
    const ofGold = yield* call.list_yield_markets({ asset: "gold" })
    assert.deepStrictEqual(
      ofGold.yield_markets.map(({ vaultAddress }) => vaultAddress),
      [Address.shown("base", goldVault)]
    )
  }).pipe(Effect.provide(world))
)

it.effect("without a provider a vault's own chain tells, and a doubted vault is not verified", () =>
  Effect.gen(function* () {
    const { call } = yield* furnished
    const { outage, tell } = yield* YieldMarketScript
    yield* outage(true)
    const alone = yield* call.list_yield_markets({ chainId: "base" })
    assert.isTrue(alone.stale)
    assert.deepInclude(alone.yield_markets[0], {
      apyPct: "4.50",
      apyBasePct: "4.50",
      apyRewardPct: null,
      tvlUsd: "120.00",
      verified: true
    })
    yield* outage(false)
    yield* tell([aRate({ project: "steady", asset: usdc, isOutlier: true })])
    const doubted = yield* call.list_yield_markets({ chainId: "base" })
    assert.isFalse(doubted.yield_markets[0]?.verified)
    const { outage: chainOutage } = yield* MemoryChains.ChainScript
    yield* chainOutage(true)
    const known = yield* call.list_yield_markets({ chainId: "base" })
    assert.deepStrictEqual([known.stale, known.unavailableChainIds], [true, ["base"]])
    assert.strictEqual(known.yield_markets[0]?.tvlUsd, "1250000.50")
  }).pipe(Effect.provide(world))
)

it.effect("one chain that is away leaves the markets of all others, and is named", () =>
  Effect.gen(function* () {
    const { call } = yield* furnished
    const { outage } = yield* MemoryChains.ChainScript
    const told = (chainId?: string) =>
      rates.map((rate) => (chainId === undefined ? rate : { ...rate, chainId }))
    yield* (yield* YieldMarketScript).tell([...told(), ...told("optimism")])
    const chainsOf = (markets: ReadonlyArray<{ readonly chainId: string }>) => [
      ...new Set(markets.map(({ chainId }) => chainId))
    ]
    const whole = yield* call.list_yield_markets({})
    assert.deepStrictEqual([whole.stale, whole.unavailableChainIds], [false, []])
    assert.sameMembers(chainsOf(whole.yield_markets), ["base", "optimism"])
    for (const [away, other] of [
      ["base", "optimism"],
      ["optimism", "base"]
    ] as const) {
      yield* outage(true, away)
      const partly = yield* call.list_yield_markets({})
      assert.deepStrictEqual([partly.stale, partly.unavailableChainIds], [true, [away]])
      const of = (chainId: string, { yield_markets }: typeof whole) =>
        yield_markets.filter((market) => market.chainId === chainId)
      assert.deepStrictEqual(of(other, partly), of(other, whole))
      yield* outage(false, away)
    }
    // Without the provider the chains tell of their own vaults, and still the one that is away is named.
    yield* (yield* YieldMarketScript).outage(true)
    yield* outage(true, "optimism")
    const alone = yield* call.list_yield_markets({})
    assert.deepStrictEqual(alone.unavailableChainIds, ["optimism"])
    assert.include(
      alone.yield_markets.map(({ protocol }) => protocol),
      "steady"
    )
  }).pipe(Effect.provide(world))
)

it.effect("when neither provider nor chain answers, nothing is made up", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    yield* (yield* YieldMarketScript).outage(true)
    yield* (yield* MemoryChains.ChainScript).outage(true)
    const refused = yield* Effect.flip(call.list_yield_markets({ chainId: "base" }))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
  }).pipe(Effect.provide(world))
)

it.effect("a vault that says it holds another token is neither verified nor counted", () =>
  Effect.gen(function* () {
    const { call } = yield* furnished
    const { tell } = yield* MemoryVaults.VaultScript
    yield* tell("base", vault, { kind: "erc4626", asset: gold, assetsPerMillion: 10n ** 12n })
    assert.strictEqual((yield* call.get_portfolio({})).netWorthUsd, "10.00")
    const { yield_markets } = yield* call.list_yield_markets({ verifiedOnly: true })
    assert.deepStrictEqual(yield_markets, [])
  }).pipe(Effect.provide(world))
)
