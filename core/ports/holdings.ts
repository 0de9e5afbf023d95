/**
 * What addresses hold on a chain, which tokens came to them unasked, and what spenders may take from them. An adapter
 * reports what contracts say, bounded but not believed: names are a stranger's words until core has tamed them.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

/** A token whose balances are asked for, and by what its smallest units are known. */
export interface KnownToken {
  /** Null for the chain's coin. */
  readonly address: AddressKey | null
  readonly decimals: number
  readonly says?: Says
}

/**
 * What a token's contract must say of itself beside its decimals. A symbol is held against one that is given, whatever
 * its case; a contract that gives none contradicts nobody.
 */
export interface Says {
  /** Null where any will do. */
  readonly symbol: string | null
  /** The Keccak-256 of its code, hex; null where any will do. Chains whose tokens are no contracts have neither. */
  readonly codeHash: string | null
  /**
   * Of a proxy, the address of the contract that does its work and the Keccak-256 of that one's code, both in lower case
   * with a dash between them. Any will do when left out.
   */
  readonly behind?: string
}

/** A token an address has received that nobody vouches for, as its contract describes itself. */
export interface Foreign {
  /** As it was asked for. */
  readonly holder: Address
  readonly tokenAddress: AddressKey
  /** As the contract wrote it, cut to a bounded length and nothing more; empty when it gave none. */
  readonly symbol: string
  readonly name: string
  /** From 0 to 36; a token that claims anything else is not reported. */
  readonly decimals: number
  /** Above zero. */
  readonly balance: bigint
}

export class Holdings extends Context.Service<
  Holdings,
  {
    /**
     * The balances of each address, in the order asked, and within it of each token, in the order asked.
     * Undefined where a token's contract gives no number, or claims other decimals, another symbol or other
     * code than are known of it: a balance in units that nobody is sure of is none.
     */
    readonly balances: (
      chainId: string,
      addresses: ReadonlyArray<Address>,
      tokens: ReadonlyArray<KnownToken>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<bigint | undefined>>, ChainUnavailable>
    /**
     * Other tokens these addresses have received of late and still hold, in no order; each holder and
     * token once. Bounded: what came long ago, or beyond a count, is not found.
     */
    readonly received: (
      chainId: string,
      addresses: ReadonlyArray<Address>,
      except: ReadonlyArray<AddressKey>
    ) => Effect.Effect<ReadonlyArray<Foreign>, ChainUnavailable>
  }
>()("bursar/ports/Holdings") {}

/** Who may take which token of whom; addresses in lower case. */
export interface Permission {
  readonly token: AddressKey
  readonly owner: AddressKey
  readonly spender: AddressKey
}

/** A permission that was given or changed in a block that stands. */
export interface GrantedAllowance extends Permission {
  readonly txHash: TransactionId
  readonly at: DateTime.Utc
}

/**
 * What spenders may take from wallets, as the tokens themselves say it. A log only tells where to look:
 * many tokens lower an allowance without one, so what stands is always asked anew.
 */
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
    ) => Effect.Effect<ReadonlyArray<GrantedAllowance>, ChainUnavailable>
  }
>()("bursar/ports/Allowances") {}
