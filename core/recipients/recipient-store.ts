/** The store of recipients. An address stands on it at most once per account and chain while not revoked. */
import { Context, type Effect } from "effect"
import type { Address } from "../chains/address.ts"
import type * as Page from "../operation/page.ts"
import type { Recipient } from "./recipient.ts"

export interface Filter {
  /** Part of a label or an address; the case of A to Z does not matter. */
  readonly search?: string
}

export class Recipients extends Context.Service<
  Recipients,
  {
    readonly find: (accountId: string, recipientId: string) => Effect.Effect<Recipient | undefined>
    /** Reads it and keeps others from changing it until the transaction ends; several may hold it. */
    readonly hold: (accountId: string, recipientId: string) => Effect.Effect<Recipient | undefined>
    /** The same for whoever changes it. */
    readonly lock: (accountId: string, recipientId: string) => Effect.Effect<Recipient | undefined>
    /** Whom a proposal of the account pays, if it names a recipient. */
    readonly payeeOf: (
      accountId: string,
      proposalId: string
    ) => Effect.Effect<Recipient | undefined>
    /** The one that is not revoked, by chain and the key of its address. */
    readonly standing: (
      accountId: string,
      chainId: string,
      address: Address
    ) => Effect.Effect<Recipient | undefined>
    readonly list: (
      accountId: string,
      request: Page.Request,
      filter?: Filter
    ) => Effect.Effect<Page.Page<Recipient>>
    /** Adds it; false, and nothing added, when the address stands already. */
    readonly add: (recipient: Recipient) => Effect.Effect<boolean>
    /** Writes a locked one back. */
    readonly revise: (recipient: Recipient) => Effect.Effect<void>
  }
>()("bursar/recipients/Recipients") {}
