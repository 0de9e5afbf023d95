/**
 * One turn of a chain's watcher. It looks at the chain outside of any transaction and takes what it saw
 * in one that moves the cursor by compare-and-set, so any number of replicas may watch the same chain.
 */
import { DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Chains, type ChainUpdate, type Connected } from "../ports/chains.ts"
import { applyChainUpdate } from "./chain-update.ts"
import { type Cursor, Cursors } from "./transfer-store.ts"

/**
 * The start: a final block, so that no reorganisation of the first few can leave the watcher without a
 * block it shares with the chain. Nothing counts as passed yet, so nothing expires before a first look.
 */
const start = Effect.fnUntraced(function* (chainId: string) {
  const final = yield* (yield* Chains).newestFinal(chainId)
  const cursor: Cursor = {
    chainId,
    blocks: [final],
    head: final.number,
    finalNumber: 0,
    finalTime: DateTime.makeUnsafe(0)
  }
  yield* (yield* Cursors).start(cursor)
})

const isNews = (cursor: Cursor, sighting: ChainUpdate) =>
  sighting.blocks.length > 0 ||
  sighting.commonNumber < (cursor.blocks.at(-1)?.number ?? 0) ||
  sighting.head !== cursor.head

export interface Turn {
  /** False while there is more of the chain to take at once. */
  readonly atHead: boolean
  /** Blocks that were reorganised away since the last turn. */
  readonly droppedBlocks: number
}

/** Watches one chain for one turn. */
export const watchOnce = Effect.fnUntraced(function* (connected: Connected) {
  const chainId = connected.chain.id
  const cursor = yield* (yield* Cursors).find(chainId)
  if (cursor === undefined) {
    yield* start(chainId)
    return { atHead: true, droppedBlocks: 0 } satisfies Turn
  }
  const sighting = yield* (yield* Chains).look(chainId, { blocks: cursor.blocks })
  if (isNews(cursor, sighting)) {
    yield* (yield* Atomically).run(applyChainUpdate(connected, cursor, sighting))
  }
  const tip = cursor.blocks.at(-1)?.number ?? 0
  return {
    atHead: sighting.atHead,
    droppedBlocks: Math.max(0, tip - sighting.commonNumber)
  } satisfies Turn
})
