/** The ledger of sales. One sale of a token of a wallet is open at a time, and a day's sum never passes its cap. */
import { Context, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Usd } from "../money/usd.ts"
import type { Opened, Sale } from "./sale.ts"

/** A UTC day on which nothing more of an account is sold, as what it has sold by then is not known. */
export interface ClosedDay {
  readonly accountId: string
  readonly day: string
}

/** What open sales hold of a token in a wallet. */
export interface Held {
  readonly proposalId: string
  readonly token: AddressKey
  readonly units: bigint
}

export class Sales extends Context.Service<
  Sales,
  {
    /**
     * Opens a sale under the day's cap, one sale of an account after the other until the transaction ends. A
     * proposal that has one already is `opened` and counted once. On a day that is closed the cap is not asked: such
     * a sale is only ever found on the chain, where it was counted before.
     */
    readonly open: (sale: Omit<Sale, "state">, capMicro: Usd) => Effect.Effect<Opened>
    /** Its source is final: the wallet is free again, and its worth stays counted. */
    readonly settle: (proposalId: string) => Effect.Effect<void>
    /** Nothing was sold and nothing will be: the wallet is free, and its worth is given back. Only of an open one. */
    readonly release: (proposalId: string) => Effect.Effect<void>
    readonly find: (proposalId: string) => Effect.Effect<Sale | undefined>
    /** What open sales hold of a wallet's tokens. */
    readonly heldOf: (walletId: string) => Effect.Effect<ReadonlyArray<Held>>
    /** What an account has sold, or is selling, in a UTC day. */
    readonly used: (accountId: string, day: string) => Effect.Effect<Usd>
    /** The sales of these accounts that have left their wallets, of a day and later ones. */
    readonly leftSince: (
      accountIds: ReadonlyArray<string>,
      day: string
    ) => Effect.Effect<ReadonlyArray<Pick<Sale, "walletId" | "amount" | "day" | "openedAt">>>
    /** Those of these days in which a sale counts that is open still. */
    readonly openOn: (days: ReadonlyArray<ClosedDay>) => Effect.Effect<ReadonlyArray<ClosedDay>>
    /** Closes days, each once and for ever. */
    readonly close: (days: ReadonlyArray<ClosedDay>) => Effect.Effect<void>
    readonly isClosed: (day: ClosedDay) => Effect.Effect<boolean>
  }
>()("bursar/sales/Sales") {}
