/**
 * Both ports of prices over a script: an asset costs what the script said last, and nothing before it said so. While
 * the market is away nothing new is learnt, and what was known grows stale.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import type { TokenId } from "../../core/chains/token-amount.ts"
import * as Decimal from "../../core/money/decimal.ts"
import { type Price, Prices, type Quotes } from "../../core/ports/prices.ts"
import { SecondPrices } from "../../core/tokens/agreed-price.ts"

export interface Quote extends TokenId {
  /** A decimal such as `2500.10` or `1e-7`; undefined takes the price away. */
  readonly usd: string | undefined
  /** Percent over 24 hours; not known when left out. */
  readonly change24hPct?: string
  /** What the second source says; the same as the first when left out, and nothing when null. */
  readonly secondUsd?: string | null
}

type Known = Omit<Price, "asOf">

export class PriceScript extends Context.Service<
  PriceScript,
  {
    readonly quote: (quote: Quote) => Effect.Effect<void>
    /** While the market is away, the prices of before are given, as of then. */
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/memory/PriceScript") {}

const keyOf = ({ address, chainId }: TokenId): string => `${chainId} ${address}`

const read = (text: string): Decimal.Decimal => {
  const decimal = Decimal.parse(text)
  if (decimal === undefined) throw new Error(`${text} is not a decimal.`)
  return decimal
}

const priceOf = ({ usd, change24hPct }: Pick<Quote, "usd" | "change24hPct">): Known | undefined =>
  usd === undefined
    ? undefined
    : {
        usd: read(usd),
        change24hPct: change24hPct === undefined ? undefined : read(change24hPct)
      }

/** One source over the script. */
const source = () => {
  const market = new Map<string, Known | undefined>()
  let known: ReadonlyMap<string, Known | undefined> = market
  let awaySince: DateTime.Utc | undefined
  const of = Effect.fnUntraced(function* (
    tokens: ReadonlyArray<TokenId>
  ): Effect.fn.Return<Quotes> {
    const now = yield* DateTime.now
    const asOf = awaySince ?? now
    const prices = tokens.map((token) => {
      const price = known.get(keyOf(token))
      return price === undefined ? undefined : { ...price, asOf }
    })
    return {
      prices,
      stale: awaySince !== undefined && tokens.length > 0
    }
  })
  const quote = (token: TokenId, price: Known | undefined) => market.set(keyOf(token), price)
  const outage = (isAway: boolean, now: DateTime.Utc) => {
    if (isAway === (awaySince !== undefined)) return
    awaySince = isAway ? now : undefined
    known = isAway ? new Map(market) : market
  }
  return { of, quote, outage }
}

const over = () => {
  const [first, second] = [source(), source()]
  const script: PriceScript["Service"] = {
    quote: (quote) =>
      Effect.sync(() => {
        const { change24hPct, secondUsd, usd } = quote
        const change = change24hPct === undefined ? {} : { change24hPct }
        first.quote(quote, priceOf({ usd, ...change }))
        second.quote(quote, priceOf({ usd: secondUsd === null ? undefined : (secondUsd ?? usd) }))
      }),
    outage: (isAway) =>
      Effect.map(DateTime.now, (now) => {
        first.outage(isAway, now)
        second.outage(isAway, now)
      })
  }
  return { first, second, script }
}

/** The prices and their script; new ones each time the layer is built. */
export const layer: Layer.Layer<Prices | SecondPrices | PriceScript> = Layer.effectContext(
  Effect.sync(() => {
    const { first, script, second } = over()
    return Context.make(Prices, { of: first.of }).pipe(
      Context.add(SecondPrices, { of: second.of }),
      Context.add(PriceScript, script)
    )
  })
)

/** Nothing has a price, and nobody is asked. */
export const none: Layer.Layer<Prices> = Layer.sync(Prices, () => ({ of: source().of }))

/** There is no second source, so that no trade has a price. */
export const noSecond: Layer.Layer<SecondPrices> = Layer.sync(SecondPrices, () => ({
  of: source().of
}))
