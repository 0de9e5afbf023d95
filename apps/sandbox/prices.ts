/**
 * What the tokens of local chains cost: what they are traded at there, now. Both sources of prices say so, as there is
 * no other market.
 */
import { DateTime, Effect, Layer } from "effect"
import type { TokenId } from "../../core/chains/token-amount.ts"
import { Prices, type Quotes } from "../../core/ports/prices.ts"
import { SecondPrices } from "../../core/tokens/agreed-price.ts"

/** Millionths of a dollar for a whole token of a chain; nought for what is not traded there. */
export type Traded = (token: {
  readonly chainId: string
  readonly address: string
}) => Effect.Effect<bigint>

const quote = Effect.fnUntraced(function* (traded: Traded, tokens: ReadonlyArray<TokenId>) {
  const asOf = yield* DateTime.now
  const prices = yield* Effect.forEach(
    tokens,
    Effect.fnUntraced(function* ({ address, chainId }) {
      const units = address === null ? 0n : yield* traded({ chainId, address })
      return units === 0n ? undefined : { usd: { units, places: 6 }, change24hPct: undefined, asOf }
    })
  )
  const quotes: Quotes = { prices, stale: false }
  return quotes
})

export const layer = (traded: Traded): Layer.Layer<Prices | SecondPrices> => {
  const source = { of: (tokens: ReadonlyArray<TokenId>) => quote(traded, tokens) }
  return Layer.merge(Layer.succeed(Prices, source), Layer.succeed(SecondPrices, source))
}
