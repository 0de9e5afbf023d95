/** Where each chain's watcher stands. It moves by compare-and-set, so many replicas may watch one chain. */
import { Context, type DateTime, type Effect } from "effect"
import type { Block } from "../ports/chains.ts"

export interface Cursor {
  readonly chainId: string
  /** The newest blocks taken, oldest first, enough to find a fork; the last is the tip. */
  readonly blocks: ReadonlyArray<Block>
  readonly head: number
  readonly finalNumber: number
  /** The time of the newest final block taken; expiry is judged up to it. */
  readonly finalTime: DateTime.Utc
}

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
