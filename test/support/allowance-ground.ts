/** A chain on which owners can be made to allow anything to anybody. */
import { Context, type Effect } from "effect"

export class AllowanceGround extends Context.Service<
  AllowanceGround,
  {
    readonly chainId: string
    /** In lower case. */
    readonly usdc: string
    /** Another token contract, in lower case. */
    readonly otherToken: string
    /** By a transaction of the owner's own, in a block of its own; the transaction. */
    readonly approve: (approving: {
      readonly owner: string
      readonly spender: string
      readonly amount: bigint
      readonly token?: string
    }) => Effect.Effect<string>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many empty ones. */
    readonly reorg: (depth: number) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/AllowanceGround") {}
