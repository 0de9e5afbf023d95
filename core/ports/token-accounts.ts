/**
 * The accounts that an owner's USDC lies in, on chains where nobody can be paid before theirs is opened. Opening one
 * twice does nothing the second time, so it needs no journal; the relayer pays, and its rent stays with the owner.
 */
import { Context, type Effect } from "effect"
import type { Address } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

export class TokenAccounts extends Context.Service<
  TokenAccounts,
  {
    readonly isOpen: (chainId: string, owner: Address) => Effect.Effect<boolean, ChainUnavailable>
    /** The most that opening one costs, in the smallest unit of the chain's coin. */
    readonly cost: (chainId: string) => Effect.Effect<bigint, ChainUnavailable>
    /** Hands it to the network; whether it is open is then for the chain to say. */
    readonly open: (chainId: string, owner: Address) => Effect.Effect<void, ChainUnavailable>
  }
>()("bursar/ports/TokenAccounts") {}
