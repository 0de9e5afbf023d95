/**
 * What spenders may take from wallets, as the tokens themselves say it. A log only tells where to look:
 * many tokens lower an allowance without one, so what stands is always asked anew.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

/** Who may take which token of whom; addresses in lower case. */
export interface Permission {
  readonly token: AddressKey
  readonly owner: AddressKey
  readonly spender: AddressKey
}

/** A permission that was given or changed in a block that stands. */
export interface Given extends Permission {
  readonly txHash: TransactionId
  readonly at: DateTime.Utc
}

export class Allowances extends Context.Service<
  Allowances,
  {
    /**
     * What each permission amounts to now in the token's smallest units, in the order asked; undefined
     * where no token answers.
     */
    readonly current: (
      chainId: string,
      permissions: ReadonlyArray<Permission>
    ) => Effect.Effect<ReadonlyArray<bigint | undefined>, ChainUnavailable>
    /** Permissions over any token the owners gave in the newest blocks, each once, as given last. */
    readonly recent: (
      chainId: string,
      owners: ReadonlyArray<AddressKey>
    ) => Effect.Effect<ReadonlyArray<Given>, ChainUnavailable>
  }
>()("bursar/ports/Allowances") {}
