/** What every catalogue of tokens must do: keep the order it is asked for, read what can be read, and say what is old. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { keyBySort } from "../../core/discovery/rank.ts"
import * as Decimal from "../../core/money/decimal.ts"
import type { CatalogueToken, Sort } from "../../core/ports/token-catalogue.ts"
import { TokenCatalogue } from "../../core/ports/token-catalogue.ts"

/** The provider under test, from the side of its own data. */
export class Provider extends Context.Service<
  Provider,
  {
    readonly chainId: string
    readonly sorts: ReadonlyArray<Sort>
    /** Twelve addresses of the chain. */
    readonly addresses: ReadonlyArray<CatalogueToken["address"]>
    readonly tell: (tokens: ReadonlyArray<CatalogueToken>) => Effect.Effect<void>
    readonly away: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/Provider") {}

const decimal = (text: string) => Decimal.parse(text) as Decimal.Decimal

const aToken = (
  address: CatalogueToken["address"],
  over: Partial<CatalogueToken> = {}
): CatalogueToken => ({
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

/** Numbers in no order, among them one of many digits, a loss and some that are missing. */
const numbers = ["5", undefined, "1250000000.25", "0.5", undefined, "77", "-12.5", "3", "1e-7"]

const listed = Effect.fnUntraced(function* (sort: Sort, query?: string) {
  const { chainId } = yield* Provider
  return yield* (yield* TokenCatalogue).list({ chainId, sort, query, askedBy: "an-account" })
})

const written = (value: Decimal.Decimal | undefined) =>
  value === undefined ? undefined : Decimal.format(value)

export const suite = (name: string, world: Layer.Layer<TokenCatalogue | Provider>) =>
  layer(world)(`${name}: tokens`, (it) => {
    it.effect("it names the sorts it has, and none of a chain it does not know", () =>
      Effect.gen(function* () {
        const { chainId, sorts, tell } = yield* Provider
        yield* tell([])
        const { sortsOn } = yield* TokenCatalogue
        assert.sameMembers([...sortsOn(chainId)], [...sorts])
        assert.deepStrictEqual(sortsOn("atlantis"), [])
      })
    )

    it.effect(
      "every sort goes from the highest to the lowest, and what is unknown comes last",
      () =>
        Effect.gen(function* () {
          const { addresses, sorts, tell } = yield* Provider
          yield* TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
          for (const sort of sorts) {
            yield* TestClock.adjust("5 minutes")
            yield* tell(
              numbers.map((text, at) => {
                const value = text === undefined ? undefined : decimal(text)
                const amount = text?.startsWith("-") === true ? undefined : value
                const change = text?.startsWith("125") === true ? decimal("1250000.25") : value
                return aToken(addresses[at] as CatalogueToken["address"], {
                  change24hPct: change,
                  change30dPct: change,
                  change90dPct: change,
                  marketCapUsd: amount,
                  volume24hUsd: amount
                })
              })
            )
            const { tokens } = yield* listed(sort)
            assert.lengthOf(tokens, numbers.length)
            const isGain = sort.startsWith("gainers")
            assert.deepStrictEqual(
              tokens.map((token) => written(keyBySort[sort](token))),
              isGain
                ? ["1250000.25", "77.00", "5.00", "3.00", "0.50", "0.0000001", "-12.50"].concat([
                    undefined,
                    undefined
                  ] as unknown as Array<string>)
                : (["1250000000.25", "77.00", "5.00", "3.00", "0.50", "0.0000001"].concat([
                    undefined,
                    undefined,
                    undefined
                  ] as unknown as Array<string>) as Array<string | undefined>)
            )
          }
        })
    )

    it.effect("a token is told as its provider tells it, once", () =>
      Effect.gen(function* () {
        const { addresses, sorts, tell } = yield* Provider
        const [sort = "market_cap"] = sorts
        yield* TestClock.setTime(Date.parse("2030-02-01T00:00:00Z"))
        const [address] = addresses as [CatalogueToken["address"]]
        const facts = { symbol: "USD\u202eC", name: "Visit claim.example ✓", decimals: 6 }
        const price = { priceUsd: decimal("1.0004"), change24hPct: decimal("-0.95") }
        yield* tell([
          aToken(address, { ...facts, ...price }),
          aToken(address, { ...facts, name: "Another" })
        ])
        const { asOf, isStale, tokens } = yield* listed(sort)
        const [token] = tokens
        assert.lengthOf(tokens, 1)
        assert.deepInclude(token, { address, ...facts })
        assert.deepStrictEqual(
          [written(token?.priceUsd), written(token?.change24hPct)],
          ["1.0004", "-0.95"]
        )
        assert.isFalse(isStale)
        assert.strictEqual(DateTime.formatIso(asOf), "2030-02-01T00:00:00.000Z")
      })
    )

    it.effect("a query finds by symbol, and what nobody is called is not found", () =>
      Effect.gen(function* () {
        const { addresses, sorts, tell } = yield* Provider
        const [sort = "market_cap"] = sorts
        yield* TestClock.setTime(Date.parse("2030-03-01T00:00:00Z"))
        const [one, other] = addresses as [CatalogueToken["address"], CatalogueToken["address"]]
        yield* tell([aToken(one, { symbol: "WETH" }), aToken(other, { symbol: "DAI" })])
        const found = yield* listed(sort, "weth")
        assert.deepStrictEqual(
          found.tokens.map(({ address }) => address),
          [one]
        )
        assert.deepStrictEqual((yield* listed(sort, "nothing at all")).tokens, [])
      })
    )

    it.effect("while it is away, what it said stands with its time, and nothing is made up", () =>
      Effect.gen(function* () {
        const { addresses, away, sorts, tell } = yield* Provider
        const [sort = "market_cap"] = sorts
        const [address] = addresses as [CatalogueToken["address"]]
        yield* TestClock.setTime(Date.parse("2030-04-01T00:00:00Z"))
        yield* tell([aToken(address)])
        yield* listed(sort)
        yield* away(true)
        yield* TestClock.adjust("10 minutes")
        const { asOf, isStale, tokens } = yield* listed(sort)
        assert.deepStrictEqual(
          [tokens.length, isStale, DateTime.formatIso(asOf)],
          [1, true, "2030-04-01T00:00:00.000Z"]
        )
        const failed = yield* Effect.flip(listed(sort, "never asked"))
        assert.strictEqual(failed._tag, "CatalogueUnavailable")
        assert.isAbove(failed.retryAfterSeconds, 0)
        yield* away(false)
        yield* TestClock.adjust("10 minutes")
        assert.isFalse((yield* listed(sort)).isStale)
      })
    )
  })
