/** The store of payment requests. */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"
import type * as Page from "../operation/page.ts"
import type { Customer } from "../wallets/wallet.ts"
import type { PaymentRequest } from "./request.ts"
import type { Status } from "./status.ts"

/** Each that is given must hold. */
export interface Filter {
  readonly vaultId?: string | undefined
  readonly status?: Status | undefined
  readonly externalReference?: string | undefined
  readonly customer?: Customer | undefined
  readonly minMicro?: Usdc | undefined
  readonly maxMicro?: Usdc | undefined
}

/** A chain's final block time: expiry may be judged up to it (contract: an RPC outage postpones expiry). */
export interface FinalTime {
  readonly chainId: string
  readonly finalTime: DateTime.Utc
}

/** Which requests of a vault an amount may be meant for, and how many are looked at. */
export interface Near {
  readonly vaultId: string
  readonly amountMicro: Usdc
  /** Of each status: the `max` that expire last, and as many that ask for the amount, and that lack it. */
  readonly max: number
}

/** Which paid requests of a vault an amount may repeat: those paid since then, and those paid by this payer. */
export interface Like {
  readonly vaultId: string
  readonly amountMicro: Usdc
  readonly since: DateTime.Utc
  readonly payerAddress: AddressKey
}

/** A payment by signature that was not taken, told apart from others by the digest of what was signed. */
export interface PaymentRejection {
  readonly accountId: string
  readonly requestId: string
  readonly digest: string
  readonly at: DateTime.Utc
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
    /** Of several, those that nobody else holds, read and kept in the same way. */
    readonly lockFree: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** Requests of a vault that take money, oldest first, locked in that order. */
    readonly lockPayableNear: (near: Near) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** Requests of a vault that a payment names by their references, whatever has become of them, locked. */
    readonly lockReferenced: (
      vaultId: string,
      references: ReadonlyArray<AddressKey>
    ) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** Requests of a vault that expired or were cancelled, oldest first, without a lock. */
    readonly endedNear: (near: Near) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** The two newest of each of the two kinds of paid requests that ask for the amount, without a lock. */
    readonly paidLike: (like: Like) => Effect.Effect<ReadonlyArray<PaymentRequest>>
    /** Writes a locked request back. */
    readonly settle: (request: PaymentRequest) => Effect.Effect<void>
    /** The same of several at once. */
    readonly settleAll: (requests: ReadonlyArray<PaymentRequest>) => Effect.Effect<void>
    /**
     * Writes down that a payment of a request was turned down; false when this payment was before, or
     * when so many were told of for this request.
     */
    readonly rejectPayment: (rejection: PaymentRejection, most: number) => Effect.Effect<boolean>
    /**
     * Ids of open or partially paid requests whose expiry is before their chain's newest final block, the
     * longest overdue first; without those that another holds at this moment.
     */
    readonly overdue: (
      finalTimes: ReadonlyArray<FinalTime>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("bursar/payments/PaymentRequests") {}
