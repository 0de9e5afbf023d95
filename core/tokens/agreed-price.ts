/**
 * What a token costs, as two sources that know nothing of each other agree: within two percent of each other, or it
 * has no price. Prices are asked for before a transaction and carry their age; the transaction reads what was
 * learnt and judges by the age, and never asks anybody.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import type { TokenId } from "../chains/token-amount.ts"
import { type Decimal, one } from "../money/decimal.ts"
import { Chains } from "../ports/chains.ts"
import { type Price, Prices, type Quotes } from "../ports/prices.ts"

/** A price that is older is none for a trade. */
export const freshForMinutes = 5

/** How far apart two sources may be, in basis points of the larger. */
const toleranceBps = 200n

export interface AgreedPrice {
  readonly usd: Decimal
  /** The age of the older of the two; null for one that holds by a rule. */
  readonly asOf: DateTime.Utc | null
}

/** By the rule that 1 USD is 1 USDC; nobody is asked. */
const parity: AgreedPrice = { usd: one, asOf: null }

const scaled = ({ places, units }: Decimal, to: number): bigint =>
  units * 10n ** BigInt(to - places)

/** Whether two prices are within the tolerance of each other. */
export const agree = (first: Decimal, second: Decimal): boolean => {
  const places = Math.max(first.places, second.places)
  const [one, other] = [scaled(first, places), scaled(second, places)]
  const [low, high] = one < other ? [one, other] : [other, one]
  return low > 0n && (high - low) * 10_000n <= high * toleranceBps
}

const older = (one: DateTime.Utc | null, other: DateTime.Utc | null): DateTime.Utc | null =>
  one === null ? other : other === null ? one : DateTime.min(one, other)

/** The first source's price, when the second confirms it. */
export const agreed = (
  first: Price | undefined,
  second: Price | undefined
): AgreedPrice | undefined =>
  first !== undefined && second !== undefined && agree(first.usd, second.usd)
    ? { usd: first.usd, asOf: older(first.asOf, second.asOf) }
    : undefined

/** The first source's price, unless the second has one that contradicts it. */
const uncontradicted = (first: Price | undefined, second: Price | undefined): Price | undefined =>
  second === undefined ? first : agreed(first, second) && first

/** Whether a price may still be traded by at this instant. */
export const isFresh = ({ asOf }: AgreedPrice, now: DateTime.Utc): boolean =>
  asOf === null ||
  DateTime.isGreaterThanOrEqualTo(asOf, DateTime.subtract(now, { minutes: freshForMinutes }))

const keyOf = ({ address, chainId }: TokenId): string => `${chainId} ${address}`

/** Tokens whose price is remembered; those of the pinned list are far fewer. */
const maxKept = 2_000

/** Another source of the same, that knows nothing of the first. */
export class SecondPrices extends Context.Service<SecondPrices, Prices["Service"]>()(
  "bursar/tokens/SecondPrices"
) {}

export class AgreedPrices extends Context.Service<
  AgreedPrices,
  {
    /** Asks both sources, and remembers where they agree. May ask the network, and never fails. */
    readonly learn: (tokens: ReadonlyArray<TokenId>) => Effect.Effect<void>
    /** What was learnt last, if it is fresh; asks nobody. */
    readonly known: (token: TokenId) => Effect.Effect<AgreedPrice | undefined>
    /**
     * What to value holdings by, where nothing is traded: the first source's price, of any age it tells, and none where
     * the second contradicts it, which makes the answer stale. May ask the network, and never fails.
     */
    readonly shown: (tokens: ReadonlyArray<TokenId>) => Effect.Effect<Quotes>
  }
>()("bursar/tokens/AgreedPrices") {}

export const layer: Layer.Layer<AgreedPrices, never, Chains | Prices | SecondPrices> = Layer.effect(
  AgreedPrices,
  Effect.gen(function* () {
    const { connected } = yield* Chains
    const [first, second] = [yield* Prices, yield* SecondPrices]
    const kept = new Map<string, AgreedPrice>()
    const ask = (tokens: ReadonlyArray<TokenId>) =>
      Effect.all([first.of(tokens), second.of(tokens)], { concurrency: 2 })
    const isUsdc = ({ address, chainId }: TokenId) =>
      connected.some(({ chain, usdc }) => chain.id === chainId && usdc === address)
    const keep = (token: TokenId, price: AgreedPrice | undefined) => {
      const key = keyOf(token)
      kept.delete(key)
      if (price === undefined) return
      kept.set(key, price)
      const [oldest] = kept.keys()
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    }
    return {
      learn: Effect.fnUntraced(function* (tokens) {
        const asked = tokens.filter((token) => !isUsdc(token))
        if (asked.length === 0) return
        const [one, other] = yield* ask(asked)
        for (const [place, token] of asked.entries()) {
          keep(token, agreed(one.prices[place], other.prices[place]))
        }
      }),
      known: Effect.fnUntraced(function* (token) {
        if (isUsdc(token)) return parity
        const price = kept.get(keyOf(token))
        return price !== undefined && isFresh(price, yield* DateTime.now) ? price : undefined
      }),
      shown: Effect.fnUntraced(function* (tokens) {
        if (tokens.length === 0) return { prices: [], stale: false }
        const [one, other] = yield* ask(tokens)
        const prices = one.prices.map((price, place) => uncontradicted(price, other.prices[place]))
        const isContradicted = prices.some(
          (price, place) => price === undefined && one.prices[place] !== undefined
        )
        return { prices, stale: one.stale || isContradicted }
      })
    }
  })
)
