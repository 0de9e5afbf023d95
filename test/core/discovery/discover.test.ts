/** Discovery shows ranks as providers tell them, trusts only the list, and names who dresses up as USDC. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import { CatalogueScript } from "../../../adapters/memory/token-catalogue.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Decimal from "../../../core/money/decimal.ts"
import { type CatalogueToken, type Sort, sorts } from "../../../core/ports/token-catalogue.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const usdc = Value.key(`0x${"05".repeat(20)}`)
const at = (number: number) => Value.key(`0x${number.toString(16).padStart(40, "a")}`)
const decimal = (text: string) => Decimal.parse(text) as Decimal.Decimal

const aToken = (address: Address.AddressKey, over: Partial<CatalogueToken> = {}) => ({
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
  isFlagged: false,
  ...over
})

const discovered = Effect.fnUntraced(function* (
  tokens: ReadonlyArray<CatalogueToken>,
  known: ReadonlyArray<Sort> = sorts
) {
  yield* (yield* CatalogueScript).tell("local", known, tokens)
  return (yield* Accounts.opened()).call.discover_tokens
})

it.effect("without a provider the list answers in its own order, and a rank is refused", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    const answer = yield* call.discover_tokens({ chainId: "eip155:31337" })
    assert.deepInclude(answer, { chainId: "local", sort: null, provider: "verified_list" })
    assert.deepInclude(answer.tokens[0], {
      tokenAddress: Address.shown("local", usdc),
      symbol: "USDC",
      priceUsd: "1.00",
      change24hPct: "0.00",
      marketCapUsd: null,
      verified: true,
      imitates: null
    })
    const refused = yield* Effect.flip(
      call.discover_tokens({ chainId: "local", sort: "market_cap" })
    )
    assert.strictEqual(refused._tag, "SORT_NOT_AVAILABLE")
    assert.deepStrictEqual(refused.details, { available: [] })
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a sort that the provider has not is refused by name, whatever it has else", () =>
  Effect.gen(function* () {
    const discover = yield* discovered([], ["market_cap", "volume_1d"])
    const refused = yield* Effect.flip(discover({ chainId: "local", sort: "gainers_90d" }))
    assert.strictEqual(refused._tag, "SORT_NOT_AVAILABLE")
    assert.deepStrictEqual(refused.details, { available: ["market_cap", "volume_1d"] })
    assert.strictEqual((yield* discover({ chainId: "local" })).sort, "market_cap")
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a provider takes verified away and never gives it", () =>
  Effect.gen(function* () {
    const verifiedAs = Effect.fnUntraced(function* (over: Partial<CatalogueToken>) {
      const discover = yield* discovered([aToken(usdc, { decimals: 6, ...over })])
      const { tokens } = yield* discover({ chainId: "local" })
      const found = tokens.find(({ tokenAddress }) => Value.key(tokenAddress) === usdc)
      return [found?.verified, found?.symbol, found?.decimals]
    })
    assert.deepStrictEqual(yield* verifiedAs({}), [true, "USDC", 6])
    assert.deepStrictEqual(yield* verifiedAs({ symbol: "EVIL" }), [true, "USDC", 6])
    assert.deepStrictEqual(yield* verifiedAs({ isFlagged: true }), [false, "USDC", 6])
    assert.deepStrictEqual(yield* verifiedAs({ decimals: 18 }), [false, "USDC", 6])
    const discover = yield* discovered([aToken(at(1)), aToken(usdc, { decimals: 6 })])
    const { tokens } = yield* discover({ chainId: "local" })
    assert.isFalse(tokens.find(({ symbol }) => symbol === "TKN")?.verified)
    const verified = yield* discover({ chainId: "local", verifiedOnly: true })
    assert.deepStrictEqual(
      verified.tokens.map(({ symbol }) => symbol),
      ["USDC", "GOLD"]
    )
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("who dresses up as USDC is named, with the marks it wears taken off", () =>
  Effect.gen(function* () {
    const dressed = [
      ["USDC", "USD Coin"],
      ["USDС", "Cyrillic"],
      ["U\u200bS\u202eDC", "hidden marks"],
      ["U$DC", "a dollar"],
      ["ＵＳＤＣ", "wide letters"],
      ["USD\u0327C", "a mark on top"],
      ["usdc.e", "bridged"],
      ["SAFE", "USD Cоin"]
    ] as const
    const honest = [
      ["USDT", "Tether USD"],
      ["DAI", "Dai Stablecoin"],
      ["USD", "US Dollar"]
    ] as const
    const tokens = [...dressed, ...honest].map(([symbol, name], index) =>
      aToken(at(index), { symbol, name, marketCapUsd: decimal(String(100 - index)) })
    )
    const discover = yield* discovered(tokens)
    const found = (yield* discover({ chainId: "local", limit: 25 })).tokens
    assert.deepStrictEqual(
      found.slice(0, tokens.length).map(({ imitates }) => imitates),
      [...dressed.map(() => "USDC"), ...honest.map(() => null)]
    )
    assert.strictEqual(found[2]?.symbol, "USDC")
    assert.isTrue(found.every(({ name, symbol }) => !/[\u200b\u202e]/u.test(name + symbol)))
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a name without end is cut to what can be shown", () =>
  Effect.gen(function* () {
    const long = "A".repeat(300)
    const discover = yield* discovered([aToken(at(1), { symbol: long, name: long })])
    const { tokens } = yield* discover({ chainId: "local" })
    assert.sameMembers(
      tokens
        .filter(({ verified }) => !verified)
        .flatMap(({ name, symbol }) => [name.length, symbol.length]),
      [64, 64]
    )
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("every sort falls over all pages, at most 25 a page, each token once", () =>
  Effect.gen(function* () {
    const tokens = Array.from({ length: 60 }, (_, index) => {
      const value = index % 7 === 0 ? undefined : decimal(String((index * 37) % 101))
      return aToken(at(index), {
        change24hPct: value,
        change30dPct: value,
        change90dPct: value,
        marketCapUsd: value,
        volume24hUsd: value
      })
    })
    const discover = yield* discovered(tokens)
    const shownBy = {
      gainers_1d: "change24hPct",
      gainers_30d: "change30dPct",
      gainers_90d: "change90dPct",
      market_cap: "marketCapUsd",
      volume_1d: "volume24hUsd"
    } as const
    for (const sort of sorts) {
      const shown: Array<string | null> = []
      const seen = new Set<string>()
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: Effect.Success<ReturnType<typeof discover>> = yield* discover({
          chainId: "local",
          sort,
          limit: 25,
          ...(cursor === "" ? {} : { cursor })
        })
        assert.isAtMost(page.tokens.length, 25)
        shown.push(...page.tokens.map((token) => token[shownBy[sort]]))
        for (const { tokenAddress } of page.tokens) seen.add(tokenAddress)
        cursor = page.nextCursor
      }
      assert.strictEqual(seen.size, shown.length)
      const values = shown.filter((value) => value !== null).map(Number)
      assert.deepStrictEqual(
        values,
        values.toSorted((one, other) => other - one)
      )
      assert.isTrue(shown.slice(values.length).every((value) => value === null))
      assert.isAtLeast(values.length, 51)
    }
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a token is found by its name, its symbol and its address, in any case", () =>
  Effect.gen(function* () {
    const discover = yield* discovered([
      aToken(at(1), { symbol: "WETH", name: "Wrapped Ether" }),
      aToken(at(2), { symbol: "DAI", name: "Dai Stablecoin" })
    ])
    for (const query of ["weth", "WRAPPED", Address.shown("local", at(1))]) {
      const { tokens } = yield* discover({ chainId: "local", query })
      assert.deepStrictEqual(
        tokens.map(({ symbol }) => symbol),
        ["WETH"]
      )
    }
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a provider that is away is refused with the time to try again, and never replaced", () =>
  Effect.gen(function* () {
    const discover = yield* discovered([aToken(at(1))])
    const { outage } = yield* CatalogueScript
    yield* outage(true)
    const refused = yield* Effect.flip(discover({ chainId: "local" }))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
    assert.strictEqual(refused.details?.retryAfterSeconds, 15)
    yield* outage(false)
    yield* discover({ chainId: "local" })
    yield* outage(true)
    const kept = yield* discover({ chainId: "local" })
    assert.isTrue(kept.stale)
    assert.sameMembers(
      kept.tokens.map(({ symbol }) => symbol),
      ["TKN", "USDC", "GOLD"]
    )
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("in the list USDC is worth a dollar, whatever the market says", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    const { quote } = yield* PriceScript
    yield* quote({ chainId: "local", address: usdc, usd: "7" })
    const { tokens } = yield* call.discover_tokens({ chainId: "local", query: "USD Coin" })
    assert.strictEqual(tokens[0]?.priceUsd, "1.00")
  }).pipe(Effect.provide(memoryTreasury))
)
