/**
 * The ledger of outlay. A charge is the most that one thing may cost; raised on the same day it is counted once, and
 * the sum of a day never passes its cap, whatever runs at once.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Charged, Outlaid, OutlayLimits } from "./outlay.ts"

export interface Charge {
  /** What it is for; the same on every attempt. */
  readonly key: string
  readonly chainId: string
  /** The UTC day, such as `2030-01-31`. */
  readonly day: string
  /** Null for what is laid out for no account. */
  readonly accountId: string | null
  /** In the smallest unit of the chain's coin. */
  readonly units: bigint
  readonly at: DateTime.Utc
}

/** What an account used of a chain's coin in a day, at most. */
export type OutlaidDay = Pick<Charge, "chainId" | "day" | "units">

export class Outlay extends Context.Service<
  Outlay,
  {
    readonly used: (
      chainId: string,
      day: string,
      accountId: string | null
    ) => Effect.Effect<Outlaid>
    /** What an account used on each chain and day from one day to another, both included; by day, then by chain. */
    readonly days: (
      accountId: string,
      firstDay: string,
      lastDay: string
    ) => Effect.Effect<ReadonlyArray<OutlaidDay>>
    /** When this was first charged on the newest of these days; undefined when it was on none. */
    readonly chargedAt: (
      chainId: string,
      key: string,
      days: ReadonlyArray<string>
    ) => Effect.Effect<DateTime.Utc | undefined>
    /**
     * Counts each, or what it is more than before on its day, under its limits; what would pass them is not
     * written. One after the other, as if each came alone; all of one chain and one day. Limits that are the same
     * effect are read once, beside the sums that they bound. In the transaction that runs, which is begun again where
     * others have used what a charge was judged by: once in each, as the last but for a relayer's place in its order.
     */
    readonly charge: <R = never>(
      charges: ReadonlyArray<
        readonly [charge: Charge, limits: Effect.Effect<OutlayLimits, never, R>]
      >
    ) => Effect.Effect<ReadonlyArray<Charged>, never, R>
  }
>()("bursar/policy/Outlay") {}
