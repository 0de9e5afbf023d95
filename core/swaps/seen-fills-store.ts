/**
 * The store of how far the fills of wallets' orders were read. It only ever moves on, and an order that is signed is
 * written down before anybody can fill it, so a fill that a row leaves out is one that the same records know.
 */
import { Context, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { SeenFills as Seen } from "../ports/swap-venue.ts"

export class SeenFills extends Context.Service<
  SeenFills,
  {
    /** Undefined for a wallet of which nothing was read yet. */
    readonly find: (chainId: string, owner: AddressKey) => Effect.Effect<Seen | undefined>
    /** Nothing happens when as late a block was kept before. */
    readonly keep: (chainId: string, owner: AddressKey, seen: Seen) => Effect.Effect<void>
  }
>()("bursar/swaps/SeenFills") {}
