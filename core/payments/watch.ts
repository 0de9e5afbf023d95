/**
 * One turn of a chain's watcher. It looks at the chain outside of any transaction and takes what it saw
 * in one that moves the cursor by compare-and-set, so any number of replicas may watch the same chain; what
 * is too much for one follows in more.
 */
import { Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Chains, type ChainUpdate, type Connected } from "../ports/chains.ts"
import { type Applied, applyChainUpdate, finalise } from "./chain-update.ts"
import * as Round from "./round.ts"
import { type Cursor, Cursors } from "./transfer-store.ts"
import { startWatching } from "./watched.ts"

const isNews = (cursor: Cursor, sighting: ChainUpdate, turns: Round.Turns | undefined) =>
  sighting.blocks.length > 0 ||
  sighting.transfers.length > 0 ||
  (sighting.settled ?? []).length > 0 ||
  sighting.commonNumber < (cursor.blocks.at(-1)?.number ?? 0) ||
  sighting.head !== cursor.head ||
  Round.passed(cursor, cursor.blocks, sighting.known, turns).round !== cursor.round

export interface Turn {
  /** False while there is more of the chain to take at once, or more of its vaults to look at. */
  readonly atHead: boolean
  /** Blocks that were reorganised away since the last turn. */
  readonly droppedBlocks: number
}

/** Whether the round of a chain's vaults went on and is not at its end: the next vaults have waited long enough. */
const isUnderWay = ({ round }: Cursor, taken: Applied | undefined): boolean => {
  const now = taken?.outcome === "taken" ? taken.cursor.round : null
  return now !== null && now.after !== null && now.after > (round?.after ?? "")
}

const alert = (chainId: string, address: string) =>
  Effect.logError(
    `The transactions that ${chainId} lists for the vault ${address} do not explain its balance; a payment may be missing. Check its nodes.`
  )

/** Takes it in, and then whatever was too much for one transaction. A later turn goes on if this one dies. */
const takeIn = Effect.fnUntraced(function* (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate,
  turns: Round.Turns | undefined
) {
  const { run } = yield* Atomically
  let applied: Applied = { outcome: "dropped", cursor, isMoreFinal: false }
  while (applied.outcome === "dropped") {
    applied = yield* run(applyChainUpdate(connected, applied.cursor, sighting, turns))
  }
  let isMore = applied.isMoreFinal
  while (isMore) isMore = yield* run(finalise(applied.cursor))
  return applied
})

/**
 * What is not followed in this look is neither made final by it nor known. And nothing is settled above what is final: it
 * may still be dropped with what is below it, and what is settled would not be told again.
 */
const withinFollowed = (seen: ChainUpdate, seenThrough = Number.MAX_SAFE_INTEGER): ChainUpdate => {
  const finalNumber = Math.min(seen.finalNumber, seenThrough)
  // A balance is of the slot above the newest final block that has a hash.
  const settled = seen.settled?.filter(({ number }) => number <= finalNumber + 1)
  return {
    ...seen,
    finalNumber,
    ...(settled === undefined ? {} : { settled }),
    ...(seen.known === undefined
      ? {}
      : { known: { ...seen.known, through: Math.min(seen.known.through, seenThrough) } })
  }
}

/** Watches one chain for one turn. */
export const watchOnce = Effect.fnUntraced(function* (connected: Connected) {
  const chainId = connected.chain.id
  const cursor = yield* (yield* Cursors).find(chainId)
  if (cursor === undefined) {
    yield* startWatching(chainId)
    return { atHead: true, droppedBlocks: 0 } satisfies Turn
  }
  const asked = yield* Round.watchedOn(cursor)
  const seen = yield* (yield* Chains).look(chainId, {
    blocks: cursor.blocks,
    ...(asked === undefined ? {} : { watched: asked.watched })
  })
  const sighting = withinFollowed(seen, asked?.seenThrough)
  const taken = isNews(cursor, sighting, asked?.turns)
    ? yield* takeIn(connected, cursor, sighting, asked?.turns)
    : undefined
  for (const address of sighting.unexplained ?? []) yield* alert(chainId, address)
  const tip = cursor.blocks.at(-1)?.number ?? 0
  return {
    atHead: sighting.atHead && !isUnderWay(cursor, taken),
    droppedBlocks: Math.max(0, tip - sighting.commonNumber)
  } satisfies Turn
})
