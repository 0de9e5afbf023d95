/** Port YieldMarkets over a script: the rates it was told last, which can be away. */
import { Context, DateTime, Effect, Layer } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import {
  YieldMarkets,
  YieldMarketsUnavailable,
  type YieldRate,
  type YieldRates
} from "../../core/ports/yield-markets.ts"

export class YieldMarketScript extends Context.Service<
  YieldMarketScript,
  {
    readonly tell: (rates: ReadonlyArray<YieldRate>) => Effect.Effect<void>
    /** While the provider is away, what it was asked before is answered as of then. */
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/memory/YieldMarketScript") {}

const cents = ({ tvlUsd }: YieldRate): bigint =>
  tvlUsd === undefined ? 0n : Decimal.rounded(tvlUsd, 2).units

const byValue = (one: YieldRate, other: YieldRate): number => Number(cents(other) - cents(one))

const over = () => {
  let told: ReadonlyArray<YieldRate> = []
  let kept: YieldRates | undefined
  let isAway = false
  const rates = Effect.gen(function* () {
    if (isAway && kept !== undefined) return { ...kept, isStale: true }
    if (isAway) return yield* new YieldMarketsUnavailable({ reason: "unreachable" })
    kept = { rates: told.toSorted(byValue), asOf: yield* DateTime.now, isStale: false }
    return kept
  })
  const script: YieldMarketScript["Service"] = {
    tell: (next) =>
      Effect.sync(() => {
        told = next
      }),
    outage: (away) =>
      Effect.sync(() => {
        isAway = away
      })
  }
  return { rates, script }
}

/** The markets and their script; they are empty until they are told. */
export const layer: Layer.Layer<YieldMarkets | YieldMarketScript> = Layer.effectContext(
  Effect.sync(() => {
    const { rates, script } = over()
    return Context.make(YieldMarkets, { rates }).pipe(Context.add(YieldMarketScript, script))
  })
)

/** Nobody is asked: what vaults pay is known from their chains alone. */
export const none: Layer.Layer<YieldMarkets> = Layer.succeed(YieldMarkets, {
  rates: Effect.succeed({ rates: [], asOf: null, isStale: false })
})
