/** What a provider tells of lending markets: what they pay and how much is in them. It vouches for none of them. */
import { Context, Data, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Decimal } from "../money/decimal.ts"

/** A market of one token, as a provider describes it; undefined where it says nothing that can be read. */
export interface YieldRate {
  /** The provider's own id of it. */
  readonly poolId: string
  readonly chainId: string
  /** As the provider wrote it, cut to a bounded length. */
  readonly project: string
  readonly asset: AddressKey
  /** Percent a year, compounded. */
  readonly apyPct: Decimal | undefined
  readonly apyBasePct: Decimal | undefined
  readonly apyRewardPct: Decimal | undefined
  readonly tvlUsd: Decimal | undefined
  /** The provider itself takes its figures for odd. */
  readonly isOutlier: boolean
}

export interface YieldRates {
  /** Of all chains that the provider knows, the most valuable first; bounded. */
  readonly rates: ReadonlyArray<YieldRate>
  /** Null where nobody is asked at all. */
  readonly asOf: DateTime.Utc | null
  /** The provider could not be asked again, and this is what it said before. */
  readonly isStale: boolean
}

/** The provider could not be asked, and has said nothing before. */
export class YieldMarketsUnavailable extends Data.TaggedError("YieldMarketsUnavailable")<{
  readonly reason: "unreachable" | "limited" | "unreadable"
}> {}

export class YieldMarkets extends Context.Service<
  YieldMarkets,
  { readonly rates: Effect.Effect<YieldRates, YieldMarketsUnavailable> }
>()("bursar/ports/YieldMarkets") {}
