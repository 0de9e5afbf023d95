/**
 * What assets cost in USD. It never fails: while the market is away the last known prices are given with
 * their own time, said to be stale, and what was never known stays unknown.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Decimal } from "../money/decimal.ts"

export interface Asset {
  readonly chainId: string
  /** Null for the chain's coin. */
  readonly tokenAddress: AddressKey | null
}

export interface Price {
  readonly usd: Decimal
  /** Percent over the last 24 hours; undefined where it is not known. */
  readonly change24hPct: Decimal | undefined
}

export interface Quotes {
  /** In the order asked; undefined for what has no price anyone is sure of. */
  readonly prices: ReadonlyArray<Price | undefined>
  /** The time of the oldest price among them; undefined when there is none. */
  readonly asOf: DateTime.Utc | undefined
  /** Something asked for could not be had fresh, so that a price is old or missing. */
  readonly stale: boolean
}

export class Prices extends Context.Service<
  Prices,
  { readonly of: (assets: ReadonlyArray<Asset>) => Effect.Effect<Quotes> }
>()("bursar/ports/Prices") {}
