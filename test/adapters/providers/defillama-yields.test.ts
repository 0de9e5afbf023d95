/** Yields from DefiLlama keep the contract, against a list of pools of our own in its shape, in every trouble. */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { items } from "../../../adapters/providers/array-items.ts"
import * as DefillamaYields from "../../../adapters/providers/defillama-yields.ts"
import { YieldMarkets } from "../../../core/ports/yield-markets.ts"
import * as Contract from "../../contracts/yield-markets.contract.ts"
import * as PoolMarket from "../../support/pool-market.ts"

class Opened extends Context.Service<Opened, PoolMarket.PoolMarket>()("test/Opened") {}

const opened = Layer.effect(Opened, PoolMarket.open)

const markets = Layer.unwrap(
  Effect.map(Opened, ({ url }) => DefillamaYields.layer({ url, deadlineMs: 4_000 }))
)

const provider = Layer.effect(
  Contract.YieldProvider,
  Effect.map(Opened, ({ answer, rows }) => ({
    tell: (rates) => rows(rates.map(PoolMarket.rowOf)),
    away: (isAway) => answer(isAway ? PoolMarket.troubles["500"] : undefined)
  }))
)

const world = Layer.suspend(() =>
  Layer.merge(markets, provider).pipe(Layer.provideMerge(Layer.fresh(opened)))
)

Contract.suite("DefiLlama", world)
Contract.awaySuite("DefiLlama", world)

const told = Effect.flatMap(YieldMarkets, ({ rates }) => rates)
const start = TestClock.setTime(Date.parse("2030-01-01T00:00:00Z"))
const impatient = Layer.unwrap(
  Effect.map(Opened, ({ url }) => DefillamaYields.layer({ url, deadlineMs: 1_000 }))
).pipe(Layer.provideMerge(opened))

for (const [name, trouble] of Object.entries(PoolMarket.troubles)) {
  it.effect(`${name} leaves what was said before, with its time, for a day`, () =>
    Effect.gen(function* () {
      yield* start
      const { answer, rows } = yield* Opened
      yield* rows([PoolMarket.rowOf(Contract.aRate())])
      yield* told
      yield* answer(trouble)
      yield* TestClock.adjust("16 minutes")
      const { asOf, isStale, rates } = yield* told
      assert.deepStrictEqual(
        [rates.length, isStale, asOf && DateTime.formatIso(asOf)],
        [1, true, "2030-01-01T00:00:00.000Z"]
      )
      yield* answer(PoolMarket.troubles["500"])
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* Effect.flip(told))._tag, "YieldMarketsUnavailable")
    }).pipe(Effect.provide(impatient))
  )
}

it.effect("rows of other chains, of pairs, without a token or broken are left out", () =>
  Effect.gen(function* () {
    yield* start
    const { rows } = yield* Opened
    const good = JSON.parse(PoolMarket.rowOf(Contract.aRate())) as Record<string, unknown>
    const row = (over: object) => JSON.stringify({ ...good, ...over })
    yield* rows([
      row({ chain: "Nowhere" }),
      row({ exposure: "multi" }),
      row({ underlyingTokens: [good.underlyingTokens, good.underlyingTokens].flat() }),
      row({ underlyingTokens: null }),
      row({ underlyingTokens: ["not an address"] }),
      row({ pool: 7 }),
      "null",
      "[{}]",
      row({ poolMeta: "x".repeat(70_000) }),
      row({ pool: "odd", apy: -1, apyBase: 1e9, tvlUsd: "9" }),
      row({ pool: "renamed", chain: "OP Mainnet" })
    ])
    const { rates } = yield* told
    assert.deepStrictEqual(
      rates.map(({ apyBasePct, apyPct, chainId, poolId, tvlUsd }) => [
        poolId,
        chainId,
        apyPct?.units,
        apyBasePct?.units,
        tvlUsd?.units
      ]),
      [
        ["renamed", "optimism", 325n, 3n, 12500005n],
        ["odd", "base", undefined, undefined, undefined]
      ]
    )
  }).pipe(Effect.provide(impatient))
)

it.effect(
  "a hundred callers at once read the list once, and nobody again for fifteen minutes",
  () =>
    Effect.gen(function* () {
      yield* start
      const { asked } = yield* Opened
      yield* Effect.all(
        Array.from({ length: 100 }, () => told),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("14 minutes")
      yield* told
      assert.strictEqual(asked(), 1)
    }).pipe(Effect.provide(impatient))
)

/** The text in pieces of so many bytes, as a network may cut it. */
async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

it("objects are found wherever the network cuts the text", async () => {
  const data = [{ a: 'é"}{[\\' }, { b: [{ c: {} }] }, {}, { d: "x" }]
  const text = JSON.stringify({ status: { nested: "{" }, data, rest: [{ not: "ours" }] })
  for (const size of [1, 2, 3, 7, 1000]) {
    const found: Array<unknown> = []
    const reading = items(pieces(text, size))
    let next = await reading.next()
    for (; next.done !== true; next = await reading.next()) found.push(next.value)
    assert.deepStrictEqual(found, data)
    assert.isTrue(next.value)
  }
})
