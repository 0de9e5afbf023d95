/**
 * The store of waits, which is their queue too: a row is claimed under a lease, and what a look wrote down
 * counts only under the lease it was made under.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Release, Renew } from "../ports/leases.ts"
import type { Wait } from "./wait.ts"

export interface Claimed {
  readonly wait: Wait
  readonly lease: string
}

/** What a look came to, under the lease it was made under. */
export interface Write extends Claimed {
  /** Whether the lease ends with it. */
  readonly isLast: boolean
}

export class WaitStore extends Context.Service<
  WaitStore,
  {
    /** False, and nothing written, when its proposal has a step of this number, or a wait that has not ended. */
    readonly open: (wait: Wait) => Effect.Effect<boolean>
    /** Of proposals, ended or not; by proposal, then in the order of their numbers. */
    readonly ofProposals: (proposalIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Wait>>
    /** Those of an account that have signed one of these orders, ended or not; in no order. */
    readonly ofOrders: (
      accountId: string,
      orderIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Wait>>
    /** Takes due waits without a live lease, the longest due first. */
    readonly claim: (claim: {
      readonly now: DateTime.Utc
      /** How long the claim holds when nobody extends it. */
      readonly leaseMs: number
      readonly most: number
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    readonly renew: Renew
    readonly release: Release
    /**
     * Saves what `progress` names of several at once, and returns the leases that were current. A wait that was
     * hurried or asked to stop after it was claimed is due at once, whatever the write says, unless it has ended.
     */
    readonly save: (writes: ReadonlyArray<Write>) => Effect.Effect<ReadonlyArray<string>>
    /** Asks the open wait of a proposal to stop, and makes it due; false when none is open. */
    readonly stop: (proposalId: string, now: DateTime.Utc) => Effect.Effect<boolean>
    /** Makes open waits due, as what they wait for may have come. Whoever looks at one looks again. */
    readonly hurry: (waitIds: ReadonlyArray<string>, now: DateTime.Utc) => Effect.Effect<void>
    /** Open waits that take far longer than they should, the oldest first, so many. */
    readonly stuck: (most: number) => Effect.Effect<ReadonlyArray<Wait>>
    /** When the next one is due, leases that run out included. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
  }
>()("bursar/waits/WaitStore") {}
