/** Prices from DefiLlama keep the contract of prices, against a market of our own in its shape, in every trouble. */
import { assert, it } from "@effect/vitest"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Coins from "../../../adapters/providers/coins.ts"
import * as Defillama from "../../../adapters/providers/defillama.ts"
import type { TokenId } from "../../../core/chains/token-amount.ts"
import * as Decimal from "../../../core/money/decimal.ts"
import { Prices } from "../../../core/ports/prices.ts"
import * as Contract from "../../contracts/prices.contract.ts"
import * as Value from "../../support/chain-values.ts"
import * as CoinMarket from "../../support/coin-market.ts"

const now = Effect.map(Clock.currentTimeMillis, (nowMs) => Math.floor(nowMs / 1000))

class Opened extends Context.Service<Opened, CoinMarket.CoinMarket>()("test/Opened") {}

const opened = Layer.effect(Opened, CoinMarket.open)

const options = { deadlineMs: 300 }

const prices = Layer.unwrap(Effect.map(Opened, ({ url }) => Defillama.layer({ ...options, url })))

const nameOf = (token: TokenId): string => Coins.nameOf(token, Coins.chainNames) ?? ""

const market = Layer.effect(
  Contract.Market,
  Effect.map(Opened, ({ coins, trouble }) => ({
    quote: Effect.fnUntraced(function* (asset, usd, change) {
      coins.delete(nameOf(asset))
      if (usd === undefined) return
      const timestampSeconds = yield* now
      coins.set(nameOf(asset), {
        price: usd,
        timestampSeconds,
        ...(change === undefined ? {} : { change })
      })
    }),
    away: (isAway) => trouble(isAway ? CoinMarket.troubles["502"] : undefined)
  }))
)

const world = Layer.merge(prices, market).pipe(Layer.provideMerge(opened))

Contract.suite("DefiLlama", world)

const ether: TokenId = { chainId: "ethereum", address: null }
const dai: TokenId = {
  chainId: "ethereum",
  address: Value.key("0x6b175474e89094c44da98b954eedeac495271d0f")
}

const quoteEther = (price: string, over: Partial<CoinMarket.Coin> = {}) =>
  Effect.flatMap(Effect.all([Opened, now]), ([{ coins }, timestampSeconds]) =>
    Effect.sync(() => coins.set("coingecko:ethereum", { price, timestampSeconds, ...over }))
  )

const etherNow = Effect.gen(function* () {
  const {
    prices: [price],
    ...rest
  } = yield* (yield* Prices).of([ether])
  return { ...rest, asOf: price?.asOf, usd: price && Decimal.format(price.usd) }
})

const start = TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))

for (const [name, trouble] of Object.entries(CoinMarket.troubles)) {
  it.effect(`${name} leaves the last known price, stale, and none where none was known`, () =>
    Effect.gen(function* () {
      yield* start
      const { trouble: let_ } = yield* Opened
      yield* quoteEther("2500")
      assert.propertyVal(yield* etherNow, "usd", "2500.00")
      yield* TestClock.adjust("2 minutes")
      yield* let_(trouble)
      const { asOf, ...rest } = yield* etherNow
      assert.deepStrictEqual(rest, { usd: "2500.00", stale: true })
      assert.strictEqual(asOf?.pipe(DateTime.formatIso), "2030-01-01T00:00:00.000Z")
      const quotes = yield* (yield* Prices).of([dai])
      assert.deepStrictEqual(quotes, { prices: [undefined], stale: true })
      yield* TestClock.adjust("23 hours")
      assert.propertyVal(yield* etherNow, "usd", "2500.00")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* etherNow, { usd: undefined, asOf: undefined, stale: true })
    }).pipe(Effect.provide(world))
  )
}

it.effect("a price of low confidence, of long ago, of the future or of no worth is none", () =>
  Effect.gen(function* () {
    yield* start
    const seconds = yield* now
    const rows: ReadonlyArray<readonly [string, Partial<CoinMarket.Coin>, string | undefined]> = [
      ["2500", { confidence: 0.9 }, "2500.00"],
      ["2500", { confidence: 0.89 }, undefined],
      ["2500", { timestampSeconds: seconds - 3600 }, "2500.00"],
      ["2500", { timestampSeconds: seconds - 3601 }, undefined],
      ["2500", { timestampSeconds: seconds + 301 }, undefined],
      ["2500", { timestampSeconds: 0.99 }, undefined],
      ["0", {}, undefined],
      ["-1", {}, undefined],
      ["null", {}, undefined],
      ['"2500"', {}, undefined],
      ["1e999", {}, undefined],
      ["1e-7", {}, "0.0000001"],
      ["1e-24", {}, "0.000000000000000000000001"],
      ["1e-25", {}, undefined],
      ["1.5e21", {}, "1500000000000000000000.00"],
      ["0.1", {}, "0.10"]
    ]
    for (const [price, over, expected] of rows) {
      yield* quoteEther(price, over)
      const found = yield* Effect.provide(etherNow, Layer.fresh(prices))
      assert.deepInclude(found, { usd: expected, stale: false }, `${price} ${JSON.stringify(over)}`)
    }
  }).pipe(Effect.provide(opened))
)

it.effect(
  "changes alone away leave the price fresh, its change of before, and the answer stale",
  () =>
    Effect.gen(function* () {
      yield* start
      const { trouble } = yield* Opened
      yield* quoteEther("2500", { change: "1.25" })
      yield* etherNow
      yield* TestClock.adjust("2 minutes")
      yield* quoteEther("2600", { change: "9" })
      yield* trouble((kind, response) => {
        if (kind === "prices") return undefined
        response.writeHead(500).end()
        return "answered"
      })
      const quotes = yield* (yield* Prices).of([ether])
      assert.isTrue(quotes.stale)
      assert.deepStrictEqual(quotes.prices, [
        {
          usd: { units: 2600n, places: 0 },
          change24hPct: { units: 125n, places: 2 },
          asOf: DateTime.makeUnsafe("2030-01-01T00:02:00Z")
        }
      ])
    }).pipe(Effect.provide(world))
)

it.effect("a hundred callers at once ask the market once, and nobody asks again for a minute", () =>
  Effect.gen(function* () {
    yield* start
    const { asked, maxInFlight } = yield* Opened
    yield* quoteEther("2500")
    const ask = Effect.flatMap(Prices, ({ of }) => of([ether, dai]))
    yield* Effect.all(
      Array.from({ length: 100 }, () => ask),
      { concurrency: "unbounded" }
    )
    yield* TestClock.adjust("59 seconds")
    yield* ask
    const coins = `coingecko:ethereum,ethereum:${dai.address}`
    assert.sameMembers(asked, [`/prices/current/${coins}`, `/percentage/${coins}`])
    yield* TestClock.adjust("1 second")
    yield* ask
    assert.lengthOf(asked, 4)
    assert.isAtMost(maxInFlight(), 2)
  }).pipe(Effect.provide(world))
)

it.effect("a market that failed is left alone for a while", () =>
  Effect.gen(function* () {
    yield* start
    const { asked, trouble } = yield* Opened
    yield* trouble(CoinMarket.troubles["502"])
    yield* etherNow
    yield* etherNow
    assert.lengthOf(asked, 2)
    yield* trouble()
    yield* quoteEther("2500")
    yield* TestClock.adjust("15 seconds")
    assert.deepInclude(yield* etherNow, { usd: "2500.00", stale: false })
  }).pipe(Effect.provide(world))
)

it.effect("many tokens are asked for in questions of bounded length", () =>
  Effect.gen(function* () {
    yield* start
    const { asked } = yield* Opened
    const assets = Array.from({ length: 100 }, (_, at) => ({
      chainId: "base",
      address: Value.key(`0x${at.toString(16).padStart(40, "0")}`)
    }))
    assert.lengthOf((yield* (yield* Prices).of(assets)).prices, 100)
    assert.lengthOf(asked, 6)
    for (const path of asked) assert.isBelow(path.length, 2_500)
  }).pipe(Effect.provide(world))
)

it.effect("each price has its own time", () =>
  Effect.gen(function* () {
    yield* start
    const { coins } = yield* Opened
    yield* quoteEther("2500")
    coins.set(nameOf(dai), { price: "1", timestampSeconds: (yield* now) - 600 })
    const { prices } = yield* (yield* Prices).of([ether, dai])
    assert.deepStrictEqual(
      prices.map((price) => price?.asOf && DateTime.formatIso(price.asOf)),
      ["2030-01-01T00:00:00.000Z", "2029-12-31T23:50:00.000Z"]
    )
  }).pipe(Effect.provide(world))
)

it("each chain's coin and tokens have their names there, and a test network none", () => {
  const named = (chainId: string, address: string | null) =>
    Coins.nameOf(
      { chainId, address: address === null ? null : Value.key(address) },
      Coins.chainNames
    )
  assert.strictEqual(named("base", null), "coingecko:ethereum")
  assert.strictEqual(named("polygon", null), "coingecko:polygon-ecosystem-token")
  assert.strictEqual(named("optimism", `0x${"AB".repeat(20)}`), `optimism:0x${"ab".repeat(20)}`)
  assert.isUndefined(named("base-sepolia", null))
  assert.isUndefined(named("local", `0x${"AB".repeat(20)}`))
})

it("two tokens whose addresses differ in case alone are two on Solana, and one on Ethereum", () => {
  const at = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
  const row = (price: number) => ({ price, timestamp: 1_893_456_000, confidence: 0.99 })
  const read = Coins.prices(
    { coins: { "solana:aBc": row(1), "solana:abC": row(2), "ethereum:0xAbC": row(3) } },
    at
  )
  assert.deepStrictEqual(
    [...(read ?? new Map()).keys()],
    ["solana:aBc", "solana:abC", "ethereum:0xabc"]
  )
})
