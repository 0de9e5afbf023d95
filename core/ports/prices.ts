/**
 * What assets cost in USD. It never fails: while the market is away the last known prices are given with
 * their own time, said to be stale, and what was never known stays unknown.
 */
import { Context, DateTime, type Effect } from "effect"
import type { TokenId } from "../chains/token-amount.ts"
import type { Decimal } from "../money/decimal.ts"

export interface Price {
  readonly usd: Decimal
  /** Percent over the last 24 hours; undefined where it is not known. */
  readonly change24hPct: Decimal | undefined
  /** When it was the price; null for one that holds by a rule and has no age. */
  readonly asOf: DateTime.Utc | null
}

export interface Quotes {
  /** In the order asked; undefined for what has no price anyone is sure of. */
  readonly prices: ReadonlyArray<Price | undefined>
  /** Something asked for could not be had fresh, so that a price is old or missing. */
  readonly stale: boolean
}

/** The time of the oldest of some prices; undefined when none has one. */
export const oldest = (prices: ReadonlyArray<Price | undefined>): DateTime.Utc | undefined =>
  prices
    .flatMap((price) => price?.asOf ?? [])
    .reduce<DateTime.Utc | undefined>(
      (before, asOf) => (before === undefined ? asOf : DateTime.min(before, asOf)),
      undefined
    )

export class Prices extends Context.Service<
  Prices,
  { readonly of: (tokens: ReadonlyArray<TokenId>) => Effect.Effect<Quotes> }
>()("bursar/ports/Prices") {}
