/** The order of tokens by what a provider says of them: from the highest to the lowest, what is unknown last. */
import type * as Decimal from "../money/decimal.ts"
import type { CatalogueToken, Sort } from "../ports/token-catalogue.ts"

export type Ranked = Omit<CatalogueToken, "isFlagged" | "decimals" | "symbol" | "name">

/** What a sort compares. */
export const keyBySort: Readonly<Record<Sort, (token: Ranked) => Decimal.Decimal | undefined>> = {
  gainers_1d: ({ change24hPct }) => change24hPct,
  gainers_30d: ({ change30dPct }) => change30dPct,
  gainers_90d: ({ change90dPct }) => change90dPct,
  market_cap: ({ marketCapUsd }) => marketCapUsd,
  volume_1d: ({ volume24hUsd }) => volume24hUsd
}

const difference = (one: Decimal.Decimal, other: Decimal.Decimal): bigint => {
  const places = Math.max(one.places, other.places)
  const units = ({ units, places: own }: Decimal.Decimal) => units * 10n ** BigInt(places - own)
  return units(other) - units(one)
}

/** Before zero when the first stands above the second. Two of one value stand by their addresses. */
const compared = (sort: Sort) => (one: Ranked, other: Ranked) => {
  const [first, second] = [keyBySort[sort](one), keyBySort[sort](other)]
  const byAddress = one.address < other.address ? -1 : 1
  if (first === undefined || second === undefined) {
    return first === second ? byAddress : first === undefined ? 1 : -1
  }
  const rest = difference(first, second)
  return rest === 0n ? byAddress : rest > 0n ? 1 : -1
}

export const ranked = <Token extends Ranked>(
  tokens: ReadonlyArray<Token>,
  sort: Sort
): ReadonlyArray<Token> => tokens.toSorted(compared(sort))

/** Each address once, the first of it. */
export const distinct = <Token extends Ranked>(
  tokens: ReadonlyArray<Token>
): ReadonlyArray<Token> =>
  [...new Map(tokens.toReversed().map((token) => [token.address, token])).values()].reverse()
