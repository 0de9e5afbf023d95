/** What every source of yields must do: exact rates, the most valuable first, and old ones said to be old. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../core/money/decimal.ts"
import { YieldMarkets, type YieldRate } from "../../core/ports/yield-markets.ts"
import * as Value from "../support/chain-values.ts"

/** The provider under test, from the side of its own data. */
export class YieldProvider extends Context.Service<
  YieldProvider,
  {
    readonly tell: (rates: ReadonlyArray<YieldRate>) => Effect.Effect<void>
    readonly away: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/YieldProvider") {}

const decimal = (text: string) => Decimal.parse(text) as Decimal.Decimal

export const aRate = (over: Partial<YieldRate> = {}): YieldRate => ({
  poolId: "0758c3b8-0000-4000-8000-000000000001",
  chainId: "base",
  project: "aave-v3",
  asset: Value.key("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
  apyPct: decimal("3.25"),
  apyBasePct: decimal("3"),
  apyRewardPct: decimal("0.25"),
  tvlUsd: decimal("1250000.5"),
  isOutlier: false,
  ...over
})

const told = Effect.flatMap(YieldMarkets, ({ rates }) => rates)

const written = (value: Decimal.Decimal | undefined) =>
  value === undefined ? undefined : Decimal.format(value)

export const suite = (name: string, world: Layer.Layer<YieldMarkets | YieldProvider>) =>
  layer(world)(`${name}: yields`, (it) => {
    it.effect("a rate is told as its provider tells it, and what it does not tell is unknown", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
        const { tell } = yield* YieldProvider
        const quiet = { apyPct: undefined, apyBasePct: undefined, apyRewardPct: undefined }
        const other = { ...quiet, poolId: "b", tvlUsd: undefined, isOutlier: true }
        yield* tell([aRate(), aRate(other)])
        const { asOf, isStale, rates } = yield* told
        assert.deepStrictEqual(
          rates.map((rate) => [
            rate.poolId,
            rate.chainId,
            rate.project,
            rate.asset,
            written(rate.apyPct),
            written(rate.apyBasePct),
            written(rate.apyRewardPct),
            written(rate.tvlUsd),
            rate.isOutlier
          ]),
          [
            [
              aRate().poolId,
              "base",
              "aave-v3",
              aRate().asset,
              "3.25",
              "3.00",
              "0.25",
              "1250000.50",
              false
            ],
            [
              "b",
              "base",
              "aave-v3",
              aRate().asset,
              undefined,
              undefined,
              undefined,
              undefined,
              true
            ]
          ]
        )
        assert.isFalse(isStale)
        assert.strictEqual(asOf && DateTime.formatIso(asOf), "2030-01-01T00:00:00.000Z")
      })
    )

    it.effect("the most valuable comes first", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-02-01T00:00:00Z"))
        const { tell } = yield* YieldProvider
        const worth = ["5", "1000000", undefined, "77.5"]
        yield* tell(
          worth.map((text, at) =>
            aRate({ poolId: `pool-${at}`, tvlUsd: text === undefined ? undefined : decimal(text) })
          )
        )
        assert.deepStrictEqual(
          (yield* told).rates.map(({ poolId }) => poolId),
          ["pool-1", "pool-3", "pool-0", "pool-2"]
        )
      })
    )

    it.effect("while it is away, what it said stands with its time", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2030-03-01T00:00:00Z"))
        const { away, tell } = yield* YieldProvider
        yield* tell([aRate()])
        yield* told
        yield* away(true)
        yield* TestClock.adjust("20 minutes")
        const { asOf, isStale, rates } = yield* told
        assert.deepStrictEqual(
          [rates.length, isStale, asOf && DateTime.formatIso(asOf)],
          [1, true, "2030-03-01T00:00:00.000Z"]
        )
        yield* away(false)
        yield* TestClock.adjust("20 minutes")
        assert.isFalse((yield* told).isStale)
      })
    )
  })

/** Of one that was never there: nothing is made up. */
export const awaySuite = (name: string, world: Layer.Layer<YieldMarkets | YieldProvider>) =>
  layer(world)(`${name}: yields, never there`, (it) => {
    it.effect("a provider that never answered is unavailable", () =>
      Effect.gen(function* () {
        yield* (yield* YieldProvider).away(true)
        assert.strictEqual((yield* Effect.flip(told))._tag, "YieldMarketsUnavailable")
      })
    )
  })
