/** What every source of prices must do: exact numbers in the order asked, and never fail, whatever the market does. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { TokenId } from "../../core/chains/token-amount.ts"
import * as Decimal from "../../core/money/decimal.ts"
import { oldest, Prices } from "../../core/ports/prices.ts"
import * as Value from "../support/chain-values.ts"

/** The market under test, from the side of those who trade on it. */
export class Market extends Context.Service<
  Market,
  {
    /** From now on this asset costs so much; undefined takes it off the market. */
    readonly quote: (
      token: TokenId,
      usd: string | undefined,
      change24hPct?: string
    ) => Effect.Effect<void>
    readonly away: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/Market") {}

let assets = 0

const someToken = (): TokenId => ({
  chainId: "base",
  address: Value.key(`0x${(++assets).toString(16).padStart(40, "0")}`)
})

const ether: TokenId = { chainId: "base", address: null }

const quotesOf = Effect.fnUntraced(function* (asked: ReadonlyArray<TokenId>) {
  return yield* (yield* Prices).of(asked)
})

/** Prices and changes as text, and the rest of the answer. */
const told = Effect.fnUntraced(function* (asked: ReadonlyArray<TokenId>) {
  const { prices, stale } = yield* quotesOf(asked)
  const asOf = oldest(prices)
  return {
    prices: prices.map((price) =>
      price === undefined
        ? undefined
        : [
            Decimal.format(price.usd),
            price.change24hPct === undefined ? undefined : Decimal.format(price.change24hPct)
          ]
    ),
    asOf: asOf === undefined ? undefined : DateTime.formatIso(asOf),
    stale
  }
})

/** By then whatever was learnt before is asked for again. */
const minutePasses = TestClock.adjust("61 seconds")

export const suite = (name: string, market: Layer.Layer<Prices | Market>) =>
  layer(market)(`${name}: prices`, (it) => {
    it.effect("a price is taken to its last digit, and what has none is unknown", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
        const { quote } = yield* Market
        const [dear, cheap, unknown] = [someToken(), someToken(), someToken()]
        yield* quote(dear, "68123.45", "-2.3009954568977147")
        yield* quote(cheap, "1e-7")
        yield* quote(ether, "2500", "1.5")
        assert.deepStrictEqual(yield* told([cheap, unknown, ether, dear, cheap]), {
          prices: [
            ["0.0000001", undefined],
            undefined,
            ["2500.00", "1.50"],
            ["68123.45", "-2.3009954568977147"],
            ["0.0000001", undefined]
          ],
          asOf: "2030-01-01T00:00:00.000Z",
          stale: false
        })
      })
    )

    it.effect("who asks for nothing is told nothing", () =>
      Effect.gen(function* () {
        yield* (yield* Market).away(true)
        assert.deepStrictEqual(yield* told([]), { prices: [], asOf: undefined, stale: false })
        yield* (yield* Market).away(false)
      })
    )

    it.effect("a new price is known within a minute, and a withdrawn one forgotten", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-02-01T00:00:00Z"))
        const { quote } = yield* Market
        const [one, other] = [someToken(), someToken()]
        yield* quote(one, "1", "0")
        yield* quote(other, "2", "0")
        yield* quotesOf([one, other])
        yield* minutePasses
        yield* quote(one, "1.01", "1")
        yield* quote(other, undefined)
        assert.deepStrictEqual(yield* told([one, other]), {
          prices: [["1.01", "1.00"], undefined],
          asOf: "2030-02-01T00:01:01.000Z",
          stale: false
        })
      })
    )

    it.effect(
      "while the market is away, what was known is given as of then and nothing is made up",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2030-03-01T00:00:00Z"))
          const { quote, away } = yield* Market
          const [known, never] = [someToken(), someToken()]
          yield* quote(known, "3", "0.5")
          yield* quotesOf([known])
          yield* away(true)
          yield* minutePasses
          const asOf = "2030-03-01T00:00:00.000Z"
          const expected = { prices: [["3.00", "0.50"], undefined], asOf, stale: true }
          assert.deepStrictEqual(yield* told([known, never]), expected)
          assert.deepStrictEqual(yield* told([never]), {
            prices: [undefined],
            asOf: undefined,
            stale: true
          })
          yield* away(false)
          yield* minutePasses
          yield* quote(known, "4", "0.5")
          assert.deepStrictEqual((yield* told([known])).prices, [["4.00", "0.50"]])
        })
    )
  })
