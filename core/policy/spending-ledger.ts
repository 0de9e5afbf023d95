/**
 * The ledger of caps, and the store of what agents have paid for. A reservation belongs to one proposal and to the
 * windows of the instant it was made in; the sum of a window never passes its cap, whatever runs at once.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Usd } from "../money/usd.ts"
import type { KeyCap, Limits, Reserved, Revision, Used, Windows } from "./limits.ts"
import type { Purchase } from "./purchase.ts"

export interface Reservation {
  readonly proposalId: string
  readonly accountId: string
  readonly amountMicro: Usd
  readonly windows: Windows
  readonly at: DateTime.Utc
  /** The payment it is for: what was charged for that, as nobody had proposed it, is counted once. */
  readonly pays?: Paying | undefined
}

/** What a payment to a recipient is known by. */
export interface Paying {
  readonly chainId: string
  readonly identity: string
  readonly to: AddressKey
}

/** A payment that the chain has and no record explains; it counts in the windows of its block. */
export interface Charge extends Paying {
  readonly accountId: string
  readonly amountMicro: Usd
  readonly windows: Windows
  readonly at: DateTime.Utc
}

/** What stands reserved, spent or given back for a proposal. */
export interface ReservedAmount {
  readonly accountId: string
  readonly amountMicro: Usd
  readonly state: "reserved" | "consumed" | "released"
}

/** A UTC day such as `2026-11-21`, and what was reserved or spent on it. */
export interface UsedOnDay {
  readonly day: string
  readonly usedMicro: Usd
}

export class Spending extends Context.Service<
  Spending,
  {
    /** What an account has reserved or spent in these windows. */
    readonly used: (accountId: string, windows: Windows) => Effect.Effect<Used>
    /** The same day by day, from one day through another, oldest first; days without any are left out. */
    readonly usedByDay: (
      accountId: string,
      from: string,
      through: string
    ) => Effect.Effect<ReadonlyArray<UsedOnDay>>
    /**
     * Reserves under limits. Others of the account may be judged at the same time: where they use up what this was judged
     * by, the transaction is undone and begun again. A proposal that holds one already is `reserved` and counted once.
     */
    readonly reserve: (reservation: Reservation, limits: Limits) => Effect.Effect<Reserved>
    /** Asks ahead what `reserve` will ask; the account is held first. */
    readonly ahead: (reservation: Reservation) => Effect.Effect<void>
    /** Charges payments, each once, whatever the caps are; a key of the account may have sent any of them. */
    readonly charge: (charges: ReadonlyArray<Charge>) => Effect.Effect<void>
    /** What these windows have used without what was charged for this very payment, if it was. */
    readonly usedWithout: (
      accountId: string,
      windows: Windows,
      payment: Paying & { readonly amountMicro: Usd }
    ) => Effect.Effect<Used>
    /** What was sent or is reserved under a key on this day, without what was charged for this very payment. */
    readonly usedByKey: (
      keyId: string,
      day: string,
      payment?: Paying & { readonly amountMicro: Usd }
    ) => Effect.Effect<Usd>
    /**
     * Reserves under the daily caps of keys of the account, under all or none, in the same order as
     * `reserve`; under a key that holds one for the proposal already it is counted once.
     */
    readonly reserveForKeys: (
      reservation: Reservation,
      caps: ReadonlyArray<KeyCap>
    ) => Effect.Effect<Reserved>
    /**
     * Holds so much in all for a proposal, for its account and under these keys, under all or none. What it holds
     * stays in its own windows and is never lowered; what holds nothing yet is reserved in the windows given.
     */
    readonly raise: (
      reservation: Reservation,
      limits: Limits,
      caps: ReadonlyArray<KeyCap>
    ) => Effect.Effect<Reserved>
    /** What was reserved for a proposal, and what became of it. */
    readonly heldBy: (proposalId: string) => Effect.Effect<ReservedAmount | undefined>
    /** Spends what was reserved, under keys too; it stays in its windows. */
    readonly consume: (proposalIds: ReadonlyArray<string>) => Effect.Effect<void>
    /** Gives back what was reserved, under keys too, once; what was spent stays spent. */
    readonly release: (proposalIds: ReadonlyArray<string>) => Effect.Effect<void>
    /** The newest revision of an account's limits. */
    readonly revision: (accountId: string) => Effect.Effect<Revision | undefined>
    /** Adds a revision; false when the number was taken meanwhile. */
    readonly revise: (revision: Revision) => Effect.Effect<boolean>
  }
>()("bursar/policy/Spending") {}

/** The store of purchases. One transaction of a chain buys one thing, and so does one settlement. */
export class Purchases extends Context.Service<
  Purchases,
  {
    /** Writes it down; false, and nothing written, when its transaction or settlement bought something before. */
    readonly record: (purchase: Purchase) => Effect.Effect<boolean>
    readonly ofSettlement: (settlementId: string) => Effect.Effect<Purchase | undefined>
    /** Erases at most `max` of the keys whose day is over; how many there were. */
    readonly eraseKeys: (now: DateTime.Utc, max: number) => Effect.Effect<number>
    /** Erases what is sealed of these keys of the account, whatever is left of their day. */
    readonly eraseKeysOf: (accountId: string, keyIds: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("bursar/agents/Purchases") {}
