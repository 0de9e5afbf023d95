/** Zerion, CoinGecko and Jupiter keep the contract of catalogues, against stand-ins in their shapes, in every trouble. */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as RateLimits from "../../../adapters/memory/rate-limits.ts"
import * as Catalogues from "../../../adapters/providers/catalogues.ts"
import * as RateLimit from "../../../core/operation/rate-limit.ts"
import type { CatalogueToken, Sort } from "../../../core/ports/token-catalogue.ts"
import { TokenCatalogue } from "../../../core/ports/token-catalogue.ts"
import * as Contract from "../../contracts/token-catalogue.contract.ts"
import * as Value from "../../support/chain-values.ts"
import * as TokenProviders from "../../support/token-providers.ts"

class Opened extends Context.Service<Opened, TokenProviders.TokenProvider>()("test/Opened") {}

const onEvm = Array.from({ length: 12 }, (_, at) =>
  Value.key(`0x${(at + 1).toString(16).padStart(40, "0")}`)
)

const onSolana = Array.from("23456789ABCD", (letter) =>
  Value.key(`So1111111111111111111111111111111111111111${letter}`)
)

interface Known {
  readonly chainId: string
  readonly sorts: ReadonlyArray<Sort>
  readonly addresses: ReadonlyArray<CatalogueToken["address"]>
}

const known: Readonly<Record<TokenProviders.Shape, Known>> = {
  zerion: {
    chainId: "base",
    sorts: ["gainers_1d", "gainers_30d", "gainers_90d", "market_cap"],
    addresses: onEvm
  },
  coingecko: {
    chainId: "base",
    sorts: ["market_cap", "volume_1d", "gainers_1d", "gainers_30d"],
    addresses: onEvm
  },
  jupiter: {
    chainId: "solana",
    sorts: ["market_cap", "gainers_1d", "volume_1d"],
    addresses: onSolana
  }
}

const plenty = { ...RateLimit.defaults, providers: 1_000, providerShares: 1_000 }

const worldOf = (shape: TokenProviders.Shape, limits: RateLimit.Limits = plenty) => {
  const opened = Layer.effect(Opened, TokenProviders.open(shape))
  const catalogue = Layer.unwrap(
    Effect.map(Opened, ({ url }) =>
      Catalogues.layer({ [shape]: { key: "a-key-of-ours", url, deadlineMs: 400 } })
    )
  ).pipe(Layer.provide(RateLimits.layer(limits)))
  const provider = Layer.effect(
    Contract.Provider,
    Effect.map(Opened, ({ tell, trouble }) => ({
      ...known[shape],
      tell,
      away: (isAway) => trouble(isAway ? TokenProviders.troubles["500"] : undefined)
    }))
  )
  return Layer.merge(catalogue, provider).pipe(Layer.provideMerge(opened))
}

for (const shape of Object.keys(known) as Array<TokenProviders.Shape>) {
  Contract.suite(shape, worldOf(shape))
}

const aToken = (address: CatalogueToken["address"]): CatalogueToken => ({
  address,
  symbol: "TKN",
  name: "Some token",
  decimals: 18,
  priceUsd: undefined,
  change24hPct: undefined,
  change30dPct: undefined,
  change90dPct: undefined,
  marketCapUsd: undefined,
  volume24hUsd: undefined,
  isFlagged: false
})

const first = (addresses: ReadonlyArray<CatalogueToken["address"]>) =>
  addresses[0] as CatalogueToken["address"]

const list = (query?: string, askedBy = "an-account") =>
  TokenCatalogue.use((catalogue) =>
    catalogue.list({ chainId: "base", sort: "market_cap", query, askedBy })
  )

const start = TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))

for (const [name, trouble] of Object.entries(TokenProviders.troubles)) {
  it.effect(
    `${name} leaves what was said before, with its time, and a refusal where nothing was`,
    () =>
      Effect.gen(function* () {
        yield* start
        const { tell, trouble: troubled } = yield* Opened
        yield* tell([aToken(first(onEvm))])
        yield* list()
        yield* troubled(trouble)
        yield* TestClock.adjust("5 minutes")
        const before = yield* list()
        assert.isTrue(before.isStale)
        assert.lengthOf(before.tokens, 1)
        assert.strictEqual(DateTime.formatIso(before.asOf), "2030-01-01T00:00:00.000Z")
        const failed = yield* Effect.flip(list("never"))
        assert.strictEqual(failed._tag, "CatalogueUnavailable")
        assert.strictEqual(failed.retryAfterSeconds, name === "429" ? 40 : 15)
        yield* TestClock.adjust("24 hours")
        assert.strictEqual((yield* Effect.flip(list()))._tag, "CatalogueUnavailable")
      }).pipe(Effect.provide(worldOf("zerion")))
  )
}

it.effect("a provider that failed is left alone for as long as it asks, and then asked again", () =>
  Effect.gen(function* () {
    yield* start
    const { asked, tell, trouble } = yield* Opened
    yield* tell([aToken(first(onEvm))])
    yield* trouble(TokenProviders.troubles["429"])
    yield* Effect.flip(list())
    yield* trouble()
    yield* TestClock.adjust("39 seconds")
    yield* Effect.flip(list())
    assert.lengthOf(asked, 1)
    yield* TestClock.adjust("1 second")
    assert.lengthOf((yield* list()).tokens, 1)
    assert.lengthOf(asked, 2)
  }).pipe(Effect.provide(worldOf("zerion")))
)

it.effect("a hundred callers at once ask once, and nobody asks again for two minutes", () =>
  Effect.gen(function* () {
    yield* start
    const { asked, tell } = yield* Opened
    yield* tell([aToken(first(onEvm))])
    yield* Effect.all(
      Array.from({ length: 100 }, () => list()),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(asked, 1)
    yield* TestClock.adjust("119 seconds")
    yield* list()
    assert.lengthOf(asked, 1)
  }).pipe(Effect.provide(worldOf("zerion")))
)

it.effect("one account spends its share of the budget, and never that of the others", () =>
  Effect.gen(function* () {
    yield* start
    const { asked } = yield* Opened
    for (const at of Array(3).keys()) yield* list(`query ${at}`, "greedy")
    assert.strictEqual((yield* Effect.flip(list("query 3", "greedy"))).reason, "spent")
    // What is known already costs nothing.
    yield* list("query 0", "greedy")
    for (const at of Array(2).keys()) yield* list(`other ${at}`, "modest")
    assert.strictEqual((yield* Effect.flip(list("other 3", "third"))).reason, "limited")
    assert.lengthOf(asked, 5)
    yield* TestClock.adjust("1 minute")
    yield* list("query 3", "greedy")
  }).pipe(Effect.provide(worldOf("zerion", { ...plenty, providers: 5, providerShares: 3 })))
)

it.effect("a key goes in its header and never in an address", () =>
  Effect.gen(function* () {
    const headers: Readonly<Record<TokenProviders.Shape, readonly [string, string]>> = {
      zerion: ["authorization", `Basic ${btoa("a-key-of-ours:")}`],
      coingecko: ["x-cg-demo-api-key", "a-key-of-ours"],
      jupiter: ["x-api-key", "a-key-of-ours"]
    }
    for (const shape of Object.keys(known) as Array<TokenProviders.Shape>) {
      yield* Effect.gen(function* () {
        const { asked } = yield* Opened
        const { list } = yield* TokenCatalogue
        const { chainId } = known[shape]
        yield* list({ chainId, sort: "market_cap", query: "usd", askedBy: "an-account" })
        assert.isAbove(asked.length, 0)
        for (const { headers: sent, path } of asked) {
          assert.strictEqual(sent[headers[shape][0]], headers[shape][1])
          assert.notInclude(path, "a-key-of-ours")
        }
      }).pipe(Effect.provide(worldOf(shape)))
    }
  })
)

it.effect("rows that lie or are broken spoil no other", () =>
  Effect.gen(function* () {
    yield* start
    const { trouble } = yield* Opened
    const row = (address: unknown, over: object = {}) => ({
      attributes: {
        name: "Some",
        symbol: "SOME",
        flags: { verified: true },
        implementations: [{ chain_id: "base", address, decimals: 18 }],
        market_data: { price: 1, market_cap: 5, changes: { percent_1d: 1 } },
        ...over
      }
    })
    const lies = [
      null,
      7,
      row("not an address"),
      row(first(onEvm), { implementations: [{ chain_id: "base", address: null, decimals: 18 }] }),
      row(first(onEvm), {
        implementations: [{ chain_id: "base", address: onEvm[1], decimals: 99 }]
      }),
      row(onEvm[2], {
        name: 5,
        symbol: { a: 1 },
        market_data: { price: -1, market_cap: "9", changes: { percent_1d: -101 } }
      }),
      row(onEvm[3], { market_data: null }),
      row(onEvm[4])
    ]
    yield* trouble((response) => {
      response.writeHead(200).end(JSON.stringify({ data: lies }))
      return "answered"
    })
    const { tokens } = yield* list()
    assert.deepStrictEqual(
      tokens.map(({ address, marketCapUsd, priceUsd, change24hPct, symbol }) => [
        address,
        marketCapUsd?.units,
        priceUsd?.units,
        change24hPct?.units,
        symbol
      ]),
      [
        [onEvm[4], 5n, 1n, 1n, "SOME"],
        [onEvm[2], undefined, undefined, undefined, ""],
        [onEvm[3], undefined, undefined, undefined, "SOME"]
      ]
    )
  }).pipe(Effect.provide(worldOf("zerion")))
)
