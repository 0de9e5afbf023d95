/** The book of payment requests. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../page.ts"
import type { PaymentRequest } from "../payments/request.ts"
import type { Status } from "../payments/status.ts"

export interface Filter {
  readonly vaultId?: string
  readonly status?: Status
}

/** A chain's final block time: expiry may be judged up to it (contract: an RPC outage postpones expiry). */
export interface FinalTime {
  readonly chainId: string
  readonly finalTime: DateTime.Utc
}

export class PaymentRequests extends Context.Service<
  PaymentRequests,
  {
    readonly open: (request: PaymentRequest) => Effect.Effect<void>
    readonly find: (accountId: string, idOrPid: string) => Effect.Effect<PaymentRequest | undefined>
    /** By public id over all accounts, for the payment page. */
    readonly findPublic: (pid: string) => Effect.Effect<PaymentRequest | undefined>
    readonly list: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<PaymentRequest>>
    /** Reads it and keeps others from changing it until the transaction ends. */
    readonly lock: (id: string) => Effect.Effect<PaymentRequest | undefined>
    /** All requests of a vault that are not paid, oldest first, locked in that order. */
    readonly lockUnpaidOn: (vaultId: string) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** Writes a locked request back. */
    readonly settle: (request: PaymentRequest) => Effect.Effect<void>
    /** Ids of open or partially paid requests whose expiry is before their chain's newest final block. */
    readonly overdue: (
      finalTimes: ReadonlyArray<FinalTime>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("bursar/ports/PaymentRequests") {}
