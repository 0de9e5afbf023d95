/**
 * One turn of a chain's watcher. It looks at the chain outside of any transaction and takes what it saw
 * in one that moves the cursor by compare-and-set, so any number of replicas may watch the same chain; what
 * is too much for one follows in more.
 */
import { Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import { Atomically } from "../ports/atomically.ts"
import { Chains, type ChainUpdate, type Connected } from "../ports/chains.ts"
import { type Applied, applyChainUpdate, finalise } from "./chain-update.ts"
import { SettledBalances } from "./settled-balance-store.ts"
import { type Cursor, Cursors } from "./transfer-store.ts"
import { startWatching } from "./watched.ts"

/** Final blocks whose transfers a chain is still told of, so that it need not report them again. */
const newlyFinal = 600

/** What is watched, where a chain asks for it. */
const watchedOn = Effect.fnUntraced(function* ({ chainId, finalNumber }: Cursor) {
  if (!familyOf(chainId).tellsByAddress) return {}
  const { ofVaults, recorded } = yield* SettledBalances
  const addresses = yield* ofVaults(chainId)
  return { watched: { addresses, recorded: yield* recorded(chainId, finalNumber - newlyFinal) } }
})

const isNews = (cursor: Cursor, sighting: ChainUpdate) =>
  sighting.blocks.length > 0 ||
  sighting.transfers.length > 0 ||
  (sighting.settled ?? []).length > 0 ||
  sighting.commonNumber < (cursor.blocks.at(-1)?.number ?? 0) ||
  sighting.head !== cursor.head

export interface Turn {
  /** False while there is more of the chain to take at once. */
  readonly atHead: boolean
  /** Blocks that were reorganised away since the last turn. */
  readonly droppedBlocks: number
}

const alert = (chainId: string, address: string) =>
  Effect.logError(
    `The transactions that ${chainId} lists for the vault ${address} do not explain its balance; a payment may be missing. Check its nodes.`
  )

/** Takes it in, and then whatever was too much for one transaction. A later turn goes on if this one dies. */
const takeIn = Effect.fnUntraced(function* (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate
) {
  const { run } = yield* Atomically
  let applied: Applied = { outcome: "dropped", cursor, isMoreFinal: false }
  while (applied.outcome === "dropped") {
    applied = yield* run(applyChainUpdate(connected, applied.cursor, sighting))
  }
  let isMore = applied.isMoreFinal
  while (isMore) isMore = yield* run(finalise(applied.cursor))
})

/** Watches one chain for one turn. */
export const watchOnce = Effect.fnUntraced(function* (connected: Connected) {
  const chainId = connected.chain.id
  const cursor = yield* (yield* Cursors).find(chainId)
  if (cursor === undefined) {
    yield* startWatching(chainId)
    return { atHead: true, droppedBlocks: 0 } satisfies Turn
  }
  const sighting = yield* (yield* Chains).look(chainId, {
    blocks: cursor.blocks,
    ...(yield* watchedOn(cursor))
  })
  if (isNews(cursor, sighting)) yield* takeIn(connected, cursor, sighting)
  for (const address of sighting.unexplained ?? []) yield* alert(chainId, address)
  const tip = cursor.blocks.at(-1)?.number ?? 0
  return {
    atHead: sighting.atHead,
    droppedBlocks: Math.max(0, tip - sighting.commonNumber)
  } satisfies Turn
})
