/** The store of purchases. One transaction of a chain buys one thing, and so does one settlement. */
import { Context, type DateTime, type Effect } from "effect"
import type { Purchase } from "./purchase.ts"

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
