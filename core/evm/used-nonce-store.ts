/**
 * The store of wallets' transactions that the chain told of and no submission has: calls that the records forgot. Only
 * final ones are kept, and what a node told stays until the chain contradicts it.
 */
import { Context, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { NonceOf, ToldNonce } from "./call.ts"

export class UsedNonces extends Context.Service<
  UsedNonces,
  {
    /** Nothing happens when the nonce was kept before. */
    readonly keep: (used: ToldNonce) => Effect.Effect<void>
    /** Puts what the chain tells now in the place of what was kept of the nonce. */
    readonly replace: (used: ToldNonce) => Effect.Effect<void>
    /** Nothing happens when nothing was kept of the nonce. */
    readonly forget: (of: NonceOf) => Effect.Effect<void>
    /** What a wallet's nonces from one on were used for, in their order. */
    readonly from: (
      chainId: string,
      sender: AddressKey,
      nonce: number
    ) => Effect.Effect<ReadonlyArray<ToldNonce>>
  }
>()("bursar/evm/UsedNonces") {}
