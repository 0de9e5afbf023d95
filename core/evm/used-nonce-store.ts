/**
 * The store of wallets' transactions that the chain told of and no submission has: calls that the records forgot. Only
 * final ones are kept, so what stands here never changes, and no node is asked for it again.
 */
import { Context, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { NonceOf, UsedNonce } from "./call.ts"

/** A nonce, and the final transaction that used it. */
export interface KeptNonce extends NonceOf, Omit<UsedNonce, "isFinal"> {}

export class UsedNonces extends Context.Service<
  UsedNonces,
  {
    /** Nothing happens when the nonce was kept before. */
    readonly keep: (used: KeptNonce) => Effect.Effect<void>
    /** What a wallet's nonces from one on were used for, in their order. */
    readonly from: (
      chainId: string,
      sender: AddressKey,
      nonce: number
    ) => Effect.Effect<ReadonlyArray<KeptNonce>>
    /** The first that a wallet sent under an identity and that succeeded. */
    readonly succeeded: (
      chainId: string,
      sender: AddressKey,
      identity: string
    ) => Effect.Effect<KeptNonce | undefined>
  }
>()("bursar/evm/UsedNonces") {}
