/** The stores of what the watcher sees: transfers to vaults, payers' claims on them, and where it stands on each chain. */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"
import type * as Page from "../operation/page.ts"
import type { Block } from "../ports/chains.ts"
import type { Customer } from "../wallets/wallet.ts"
import type { PayerStatement } from "./claim.ts"
import type { DepositIssue } from "./status.ts"
import type { Transfer } from "./transfer.ts"

export interface DepositFilter {
  readonly vaultId?: string | undefined
  /** Whose vaults, on any chain. */
  readonly customer?: Customer | undefined
  /** Any of these transactions. */
  readonly txHashes?: ReadonlyArray<TransactionId> | undefined
  readonly status?: "open" | "resolved" | undefined
  readonly minMicro?: Usdc | undefined
  readonly maxMicro?: Usdc | undefined
  /** The pid of the one request that they may have been meant for. */
  readonly onlyFor?: string | undefined
  /** Why they count for no request: any of these. */
  readonly issues?: ReadonlyArray<DepositIssue> | undefined
}

/** Deposits that repeat the payment of one request of the vault. */
export interface Repeats {
  readonly vaultId: string
  readonly pid: string
  readonly max: number
}

/** The store of transfers to vaults: each is recorded once and credited at most once. */
export class Transfers extends Context.Service<
  Transfers,
  {
    /**
     * Records a transfer by (chainId, txHash, logIndex). `recorded` when it is new, `reincluded` when it
     * had been reorganised away and now stands in another block, `known` when nothing changed.
     * The id of the row it stands in is given back.
     */
    readonly record: (transfer: Transfer) => Effect.Effect<{
      readonly outcome: "recorded" | "reincluded" | "known"
      readonly id: string
    }>
    readonly find: (accountId: string, transferId: string) => Effect.Effect<Transfer | undefined>
    /** Reads it and keeps others from changing it until the transaction ends. */
    readonly lock: (accountId: string, transferId: string) => Effect.Effect<Transfer | undefined>
    /** All transfers credited to a request, reorganised ones too, oldest first. */
    readonly ofRequest: (requestId: string) => Effect.Effect<ReadonlyArray<Transfer>>
    /** The same for many requests at once. */
    readonly ofRequests: (
      requestIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Transfer>>
    /** All transfers to vaults that one transaction made, reorganised ones too, in its order. */
    readonly ofTransaction: (
      chainId: string,
      txHash: TransactionId
    ) => Effect.Effect<ReadonlyArray<Transfer>>
    /** The same of many transactions at once, in no order. */
    readonly ofTransactions: (
      chainId: string,
      txHashes: ReadonlyArray<TransactionId>
    ) => Effect.Effect<ReadonlyArray<Transfer>>
    /** Ids of the first final ones, in the order they became final. */
    readonly firstRepeats: (repeats: Repeats) => Effect.Effect<ReadonlyArray<string>>
    /** Changes what a transfer counts for: its request, issue, candidates and resolution. */
    readonly assign: (
      transferId: string,
      assignment: Pick<
        Transfer,
        "requestId" | "method" | "settlementIssue" | "candidatePids" | "resolution"
      >
    ) => Effect.Effect<void>
    /**
     * Marks standing transfers above a block as reorganised away, at most `max` and the highest first, and
     * gives back those it marked.
     */
    readonly markReorged: (
      chainId: string,
      aboveBlock: number,
      max: number
    ) => Effect.Effect<ReadonlyArray<Transfer>>
    /**
     * Marks seen transfers up to a block as final, at most `max` and the lowest first, and gives back those it
     * marked. One that somebody else is changing may be left for the next time.
     */
    readonly finalise: (
      chainId: string,
      throughBlock: number,
      at: DateTime.Utc,
      max: number
    ) => Effect.Effect<ReadonlyArray<Transfer>>
    /** Standing transfers credited to no request, or by a resolution, newest first; (createdAt, id) is (seenAt, id). */
    readonly deposits: (
      accountId: string,
      filter: DepositFilter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Transfer & Page.Position>>
  }
>()("bursar/payments/Transfers") {}

/** The store of payers' claims. One payer claims one transaction once, and the first claim stands. */
export class PaymentClaims extends Context.Service<
  PaymentClaims,
  {
    /** `known` when this payer claimed this transaction before; `full` when the request has `most` claims. */
    readonly add: (claim: PayerStatement, most: number) => Effect.Effect<"kept" | "known" | "full">
    /** The claim of a payer on a transaction. */
    readonly find: (
      chainId: string,
      txHash: TransactionId,
      payerAddress: AddressKey
    ) => Effect.Effect<PayerStatement | undefined>
    /** Forgets at most `max` of those made before an instant; how many there were. */
    readonly forget: (claimedBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/payments/PaymentClaims") {}

/** How far the looks at a chain are that has more vaults than one look is at. */
export interface Round {
  /** The vault that was looked at last, in the order of ids; null before the first. */
  readonly after: string | null
  /** What came until then is known of all vaults of the round so far; null before the first. */
  readonly since: DateTime.Utc | null
  /** The place of the vault that was looked at last among those that expect money; 0 before the first. */
  readonly expecting: number
}

export interface Cursor {
  readonly chainId: string
  /** The newest blocks taken, oldest first, enough to find a fork; the last is the tip. */
  readonly blocks: ReadonlyArray<Block>
  readonly head: number
  readonly finalNumber: number
  /**
   * The time of the newest final block through which it is known what every vault has received; expiry is judged up
   * to it.
   */
  readonly finalTime: DateTime.Utc
  /** Null where a chain tells of all transfers, and where each look is at all vaults. */
  readonly round: Round | null
}

/** Where each chain's watcher stands. It moves by compare-and-set, so many replicas may watch one chain. */
export class Cursors extends Context.Service<
  Cursors,
  {
    readonly all: Effect.Effect<ReadonlyArray<Cursor>>
    readonly find: (chainId: string) => Effect.Effect<Cursor | undefined>
    /** Starts a chain's watcher; false when it was started already. */
    readonly start: (cursor: Cursor) => Effect.Effect<boolean>
    /**
     * Locks the chain's cursor until the transaction ends and moves it, if its tip is still the
     * block with this hash; false, and nothing moved, when another replica was there first.
     */
    readonly move: (fromTipHash: string, to: Cursor) => Effect.Effect<boolean>
  }
>()("bursar/payments/Cursors") {}
