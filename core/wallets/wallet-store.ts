/** The store of wallets. */
import { Context, type Effect } from "effect"
import type { Address, AddressKey } from "../chains/address.ts"
import type * as Page from "../operation/page.ts"
import type { Customer, Kind, Wallet } from "./wallet.ts"

export interface Filter {
  readonly metadataKey?: string
  readonly metadataValue?: string
  readonly kind?: Kind
  readonly customer?: Customer | undefined
  /** Part of a name, a nickname, an address or a customer's id; the case of A to Z does not matter. */
  readonly search?: string
}

export class Wallets extends Context.Service<
  Wallets,
  {
    readonly find: (accountId: string, walletId: string) => Effect.Effect<Wallet | undefined>
    readonly list: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Wallet>>
    /** What `list` would find at this instant, where nobody has to be asked for it; left out where somebody has. */
    readonly atHand?: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Page.Page<Wallet> | undefined
    /** The customer's vault on a chain; on any chain, the oldest, when none is named. */
    readonly vaultOf: (
      accountId: string,
      customer: Customer,
      chainId?: string
    ) => Effect.Effect<Wallet | undefined>
    /** The collection wallets, over all accounts, that own these addresses on a chain. */
    readonly vaultsAt: (
      chainId: string,
      addresses: ReadonlyArray<AddressKey>
    ) => Effect.Effect<ReadonlyArray<Wallet>>
    /** The account whose wallet, of any kind, has this address on a chain. */
    readonly ownerOf: (
      chainId: string,
      address: Address | AddressKey
    ) => Effect.Effect<string | undefined>
    /** The wallets of all accounts on a chain, of any kind, by the keys of their addresses: so many after one of them. */
    readonly listOn: (
      chainId: string,
      after: AddressKey | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Wallet>>
    /** How many wallets of its own an account has; customers' vaults are not counted. */
    readonly countOwn: (accountId: string) => Effect.Effect<number>
    /** Writes a wallet's nickname and tags back. */
    readonly revise: (wallet: Wallet) => Effect.Effect<void>
    /** Adds it; false, and nothing added, when its customer has a vault on that chain or a wallet has its address. */
    readonly add: (wallet: Wallet) => Effect.Effect<boolean>
  }
>()("bursar/wallets/Wallets") {}
