/** The store of proposals. */
import { Context, type DateTime, type Effect } from "effect"
import type { TransactionId } from "../chains/address.ts"
import type { Usd } from "../money/usd.ts"
import type * as Page from "../operation/page.ts"
import type { Proposal, Status } from "./proposal.ts"

export interface Filter {
  readonly status?: Status | undefined
  readonly kind?: string | undefined
  /** Of what pays this recipient or approves it. */
  readonly recipientId?: string | undefined
  /** Both included; what moves no money has no amount. */
  readonly minMicro?: Usd | undefined
  readonly maxMicro?: Usd | undefined
}

export class Proposals extends Context.Service<
  Proposals,
  {
    /**
     * Stores it. Where the key that proposes it or the recipient was revoked since the transaction read them, all of the
     * transaction is undone and it is begun again: nothing need be held for a proposal, as its confirmation judges anew.
     */
    readonly propose: (proposal: Proposal) => Effect.Effect<void>
    readonly find: (accountId: string, proposalId: string) => Effect.Effect<Proposal | undefined>
    /** Reads it over all accounts and keeps others from changing it until the transaction ends. */
    readonly lock: (proposalId: string) => Effect.Effect<Proposal | undefined>
    /** The same of several, in the order of their ids. */
    readonly lockAll: (proposalIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Proposal>>
    readonly list: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Proposal>>
    /** Those of an account that these transactions were made for and that have ended, in no order. */
    readonly ofTransactions: (
      accountId: string,
      txHashes: ReadonlyArray<TransactionId>
    ) => Effect.Effect<ReadonlyArray<Proposal>>
    /** Writes locked ones back; their terms, hashes and accounts never change. */
    readonly move: (proposals: ReadonlyArray<Proposal>) => Effect.Effect<void>
    /** Ids of proposals that wait for a confirmation or an action past their expiry. */
    readonly overdue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<string>>
    /** Ids of proposals that are not executing nor ended and depend on a recipient. */
    readonly waitingOn: (
      accountId: string,
      recipientId: string
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Ids of refunds that are not executing nor ended, of deposits and requests by their ids, oldest first. */
    readonly waitingToRefund: (
      accountId: string,
      sourceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** How many wait for a confirmation or an action and have not run out; counted as far as `max`. */
    readonly countWaiting: (
      accountId: string,
      now: DateTime.Utc,
      max: number
    ) => Effect.Effect<number>
    /** Ids of proposals that are not executing nor ended and that one of these has proposed or confirmed. */
    readonly waitingBy: (
      accountId: string,
      keyIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("bursar/proposals/Proposals") {}
