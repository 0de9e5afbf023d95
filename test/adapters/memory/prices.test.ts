/** Scripted prices keep the contract of prices; a treasury without a market knows none and asks nobody. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/prices.ts"
import { Prices } from "../../../core/ports/prices.ts"
import * as Contract from "../../contracts/prices.contract.ts"

const market = Layer.effect(
  Contract.Market,
  Effect.map(Memory.PriceScript, ({ quote, outage }) => ({
    quote: (asset, usd, change24hPct) =>
      quote({ ...asset, usd, ...(change24hPct === undefined ? {} : { change24hPct }) }),
    away: outage
  }))
)

Contract.suite("memory", Layer.provideMerge(market, Memory.layer))

it.effect("without a market nothing has a price, and that is no news", () =>
  Effect.gen(function* () {
    const { of } = yield* Prices
    assert.deepStrictEqual(yield* of([{ chainId: "base", address: null }]), {
      prices: [undefined],
      stale: false
    })
  }).pipe(Effect.provide(Memory.none))
)
