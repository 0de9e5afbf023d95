/**
 * What providers tell of the tokens of a chain: who there are, what they cost, how they rank. Nothing of it is
 * believed: names are a stranger's words, and a provider can take trust away from a token but never give it.
 */
import { Context, Data, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Decimal } from "../money/decimal.ts"

/** The orders in which tokens can be asked for; each is from the highest to the lowest. */
export const sorts = [
  "gainers_1d",
  "gainers_30d",
  "gainers_90d",
  "market_cap",
  "volume_1d"
] as const
export type Sort = (typeof sorts)[number]

export interface CatalogueRequest {
  readonly chainId: string
  readonly sort: Sort
  /** Part of a name or symbol, or an address. */
  readonly query: string | undefined
  /** The account that asks: it has a share of what may be asked of a provider. */
  readonly askedBy: string
}

/** A token as a provider describes it; undefined where it says nothing that can be read. */
export interface CatalogueToken {
  readonly address: AddressKey
  /** As the provider wrote it, cut to a bounded length and nothing more. */
  readonly symbol: string
  readonly name: string
  /** From 0 to 36; a token of any other is not reported. */
  readonly decimals: number
  readonly priceUsd: Decimal | undefined
  readonly change24hPct: Decimal | undefined
  readonly change30dPct: Decimal | undefined
  readonly change90dPct: Decimal | undefined
  readonly marketCapUsd: Decimal | undefined
  readonly volume24hUsd: Decimal | undefined
  /** Whether the provider itself doubts the token. */
  readonly isFlagged: boolean
}

export interface CatalogueAnswer {
  /** Each address once, in the order of the provider; bounded. */
  readonly tokens: ReadonlyArray<CatalogueToken>
  readonly provider: string
  readonly asOf: DateTime.Utc
  /** The provider could not be asked again, and this is what it said before. */
  readonly isStale: boolean
}

/** No provider that serves the sort could be asked, and none said anything before. */
export class CatalogueUnavailable extends Data.TaggedError("CatalogueUnavailable")<{
  /** `spent`: this account has asked for all it may ask for in this minute. */
  readonly reason: "unreachable" | "limited" | "unreadable" | "spent"
  readonly retryAfterSeconds: number
}> {}

export class TokenCatalogue extends Context.Service<
  TokenCatalogue,
  {
    /** What any provider can sort the tokens of a chain by; nothing where none knows the chain. */
    readonly sortsOn: (chainId: string) => ReadonlyArray<Sort>
    /** Only for sorts of `sortsOn`. Never in another order: a sort that fails is refused. */
    readonly list: (
      request: CatalogueRequest
    ) => Effect.Effect<CatalogueAnswer, CatalogueUnavailable>
  }
>()("bursar/ports/TokenCatalogue") {}
