/** A chain on which owners can be made to allow anything to anybody. */
import { Context, type Effect } from "effect"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"

export class AllowanceWorld extends Context.Service<
  AllowanceWorld,
  {
    readonly chainId: string
    readonly usdc: AddressKey
    /** Another token contract. */
    readonly otherToken: AddressKey
    /** By a transaction of the owner's own, in a block of its own; the transaction. */
    readonly approve: (approving: {
      readonly owner: string
      readonly spender: string
      readonly amount: bigint
      readonly token?: string
    }) => Effect.Effect<TransactionId>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many empty ones. */
    readonly reorg: (depth: number) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/AllowanceWorld") {}
