/**
 * The store of what vaults held at a final block, on chains that tell of transfers by address. What a vault received
 * after that block is looked for until it explains what the vault holds.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { RecordedTransfer, SettledBalance } from "../ports/chains.ts"
import type { Wallet } from "../wallets/wallet.ts"

/** A vault as it is looked at. */
export interface Watched extends SettledBalance {
  readonly vaultId: string
}

/** One that money is expected on. */
export interface Expecting extends Watched {
  /** Where it stands among all of them on its chain: the one that was asked for last has the highest. */
  readonly place: number
  readonly until: DateTime.Utc
}

/** Transfers that looks still follow, with the vaults they went to. */
export interface Followed {
  /** Oldest block first. */
  readonly transfers: ReadonlyArray<RecordedTransfer>
  /** Those of these transfers, and those that a transfer was lately dropped from. */
  readonly vaults: ReadonlyArray<Watched>
  /** All standing transfers of the chain above this block are among them. */
  readonly above: number
  /** All transfers up to this block that are not final are among them; left out when all are. */
  readonly seenThrough?: number
}

/** Blocks above those a watcher has seen that no payment is in which is final by now. */
export const slack = 64

export class SettledBalances extends Context.Service<
  SettledBalances,
  {
    /**
     * So many collection vaults of a chain in the order of their ids, from the first one after an id; nothing at
     * block 0 where none was settled yet.
     */
    readonly page: (
      chainId: string,
      after: string | null,
      max: number
    ) => Effect.Effect<ReadonlyArray<Watched>>
    /** Of those that money is expected on, so many from the first after a place, in their order. */
    readonly expecting: (
      chainId: string,
      afterPlace: number,
      max: number
    ) => Effect.Effect<ReadonlyArray<Expecting>>
    /** So many that were asked for last, the last one first. */
    readonly newlyExpecting: (
      chainId: string,
      max: number
    ) => Effect.Effect<ReadonlyArray<Expecting>>
    /**
     * Standing transfers of a chain that are not final, at least `max` and the oldest first; and as many final ones
     * as there are above a block or the oldest of these, `max` at most and the newest first.
     */
    readonly followed: (chainId: string, aboveBlock: number, max: number) => Effect.Effect<Followed>
    /**
     * Puts a vault at the end of those that money is expected on, until an instant at least. By itself, in no transaction:
     * of several at once for one vault each waits for the other.
     */
    readonly expect: (
      vault: Pick<Wallet, "id" | "chainId">,
      until: DateTime.Utc
    ) => Effect.Effect<void>
    /** Takes out those in some places that nothing is expected on since an instant. */
    readonly forget: (
      chainId: string,
      places: { readonly from: number; readonly to: number },
      expectedUntil: DateTime.Utc
    ) => Effect.Effect<void>
    /**
     * A payment out of a wallet is final, so that what came and went with it is looked for, if it is a vault; the next
     * look does it, or a later one that is at a final block which surely has the payment.
     */
    readonly hasPaid: (wallet: Pick<Wallet, "id" | "chainId">) => Effect.Effect<void>
    /**
     * Writes them down; one of an earlier block than what is known changes nothing. A vault without a request that
     * takes money is expected to receive some until an instant and no longer.
     */
    readonly settle: (
      chainId: string,
      balances: ReadonlyArray<SettledBalance>,
      expectedUntil: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("bursar/payments/SettledBalances") {}
