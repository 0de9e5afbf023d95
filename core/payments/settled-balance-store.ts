/**
 * The store of what vaults held at a final block, on chains that tell of transfers by address. What a vault received
 * after that block is looked for until it explains what the vault holds.
 */
import { Context, type Effect } from "effect"
import type { RecordedTransfer, SettledBalance } from "../ports/chains.ts"

export class SettledBalances extends Context.Service<
  SettledBalances,
  {
    /** Of every collection vault on a chain; nothing at block 0 where none was settled yet. */
    readonly ofVaults: (chainId: string) => Effect.Effect<ReadonlyArray<SettledBalance>>
    /** Standing transfers of a chain that are not final, or above a block, oldest block first. */
    readonly recorded: (
      chainId: string,
      aboveBlock: number
    ) => Effect.Effect<ReadonlyArray<RecordedTransfer>>
    /** Writes them down; one of an earlier block than what is known changes nothing. */
    readonly settle: (
      chainId: string,
      balances: ReadonlyArray<SettledBalance>
    ) => Effect.Effect<void>
  }
>()("bursar/payments/SettledBalances") {}
