/**
 * The store of x402 settlements and the queue of them. One authorization is bound to one subject, by a
 * unique key; a row is claimed under a lease, and what a step wrote down counts only under that lease.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Renew } from "../ports/leases.ts"
import type { Key, Settlement } from "./settlement.ts"

export interface Claimed {
  readonly settlement: Settlement
  readonly lease: string
}

/** A payment that was not taken, told apart from others by the digest of what was signed. */
export interface PaymentRejection {
  readonly accountId: string
  readonly requestId: string
  readonly digest: string
  readonly at: DateTime.Utc
}

export class Settlements extends Context.Service<
  Settlements,
  {
    /** False, and nothing written, when its authorization is bound already. */
    readonly open: (settlement: Settlement) => Effect.Effect<boolean>
    readonly find: (key: Key) => Effect.Effect<Settlement | undefined>
    /** Takes up one that failed, as it was when it was opened; false when it did not fail. */
    readonly revive: (settlementId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Takes due settlements without a live lease, the longest due first. */
    readonly claim: (claim: {
      readonly now: DateTime.Utc
      /** How long the claim holds when nobody extends it. */
      readonly leaseMs: number
      readonly most: number
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    readonly renew: Renew
    /** Writes it down and keeps the lease; false when the lease is not current. Keeps its transfer. */
    readonly note: (lease: string, settlement: Settlement) => Effect.Effect<boolean>
    /** Writes it down and ends the lease; false when the lease is not current. Keeps its transfer. */
    readonly conclude: (lease: string, settlement: Settlement) => Effect.Effect<boolean>
    /** When the next one is due, leases that run out included. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
    /** Those of payment requests that have not failed, oldest first. */
    readonly standing: (
      requestIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Settlement>>
    /**
     * Writes down that a payment of a request was turned down; false when this payment was before, or
     * when so many were told of for this request.
     */
    readonly rejectPayment: (turned: PaymentRejection, most: number) => Effect.Effect<boolean>
    /** Says which transfer it became; whatever its lease. */
    readonly attach: (settlementId: string, transferId: string) => Effect.Effect<void>
  }
>()("bursar/submissions/Settlements") {}
