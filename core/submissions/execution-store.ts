/**
 * The store of executions and the queue of them: a row is claimed under a lease, and what a step wrote
 * down counts only under the lease it was done under.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Renew } from "../ports/leases.ts"
import type { Execution } from "./execution.ts"

export interface Claimed {
  readonly execution: Execution
  readonly lease: string
}

export class Executions extends Context.Service<
  Executions,
  {
    /** Queues the execution of a proposal; a proposal has one, and a second is a defect. */
    readonly queue: (execution: Execution) => Effect.Effect<void>
    /** Takes due executions without a live lease, the longest due first. */
    readonly claim: (claim: {
      readonly now: DateTime.Utc
      /** How long the claim holds when nobody extends it. */
      readonly leaseMs: number
      readonly most: number
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    /** Of executions by the ids of their proposals. */
    readonly renew: Renew
    /** Saves progress and keeps the lease. Returns false, and saves nothing, if another worker holds the lease now. */
    readonly note: (lease: string, execution: Execution) => Effect.Effect<boolean>
    /** Saves progress and ends the lease. Returns false, and saves nothing, if another worker holds the lease now. */
    readonly conclude: (lease: string, execution: Execution) => Effect.Effect<boolean>
    readonly find: (proposalId: string) => Effect.Effect<Execution | undefined>
    /** When the next one is due, leases that run out included. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
    /**
     * A relayer's next nonce on a chain, given once, one transaction after the other; the chain's own
     * count is where it starts, and what it is raised to when somebody else used the relayer.
     */
    readonly takeRelayerNonce: (
      chainId: string,
      relayer: string,
      chainCount: number
    ) => Effect.Effect<number>
    /** Whether anything that is not settled, a send or a settlement, holds a nonce of a relayer from the first to before the second. */
    readonly holdsNonce: (
      chainId: string,
      relayer: string,
      first: number,
      before: number
    ) => Effect.Effect<boolean>
  }
>()("bursar/submissions/Executions") {}
