/**
 * What a Solana chain holds at one slot: its newest blocks, its time, and accounts, all from one answer or from
 * answers that are at least as new. The newest block is the one below the slot, as only that one's hash is known.
 */
import { DateTime, Effect } from "effect"
import type { Block, ChainUnavailable } from "../../core/ports/chains.ts"
import type { Account } from "./account.ts"
import * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import * as Sysvars from "./sysvars.ts"

/** An account, and the slot that it is told of. */
export interface Seen {
  readonly slot: number
  readonly account: Account | undefined
}

export interface Snapshot {
  /** Everything until the end of this slot is in the accounts that came with it. */
  readonly slot: number
  /** Oldest first. */
  readonly blocks: ReadonlyArray<Sysvars.KnownBlock>
  readonly newest: Block
  /** In the order asked. */
  readonly seen: ReadonlyArray<Seen>
}

/** Blocks that are looked at as a rule; a chain tells of 512. */
const fewBlocks = 64
export const mostBlocks = 512

export interface Asked {
  readonly commitment: Node.Commitment
  readonly fromSlot?: number
  readonly blocks?: number
}

/** Two of the accounts that are told at once are the chain's own. */
const roomBesides = Node.maxAccounts - 2

export const take = Effect.fnUntraced(function* (
  node: Node.Node,
  addresses: ReadonlyArray<string>,
  { blocks: wanted = fewBlocks, commitment, fromSlot }: Asked
): Effect.fn.Return<Snapshot, RpcFailed | ChainUnavailable> {
  const bytes = Sysvars.bytesFor(wanted)
  const first = yield* Node.accounts(
    node,
    [Sysvars.clock, Sysvars.slotHashes, ...addresses.slice(0, roomBesides)],
    { commitment, bytes, ...(fromSlot === undefined ? {} : { fromSlot }) }
  )
  const [clock, hashes, ...held] = first.accounts
  const blocks = hashes === undefined ? [] : Sysvars.blocksIn(hashes.data)
  const seconds = clock === undefined ? undefined : Sysvars.secondsIn(clock.data)
  const newest = blocks.at(-1)
  if (newest === undefined || seconds === undefined || newest.number >= first.slot) {
    return yield* Node.unavailable(node, "inconsistent", "the node does not tell its newest blocks")
  }
  const seen: Array<Seen> = held.map((account) => ({ slot: first.slot, account }))
  for (let at = roomBesides; at < addresses.length; at += Node.maxAccounts) {
    const more = addresses.slice(at, at + Node.maxAccounts)
    const told = yield* Node.accounts(node, more, {
      commitment,
      bytes,
      ...(fromSlot === undefined ? {} : { fromSlot })
    })
    seen.push(...told.accounts.map((account) => ({ slot: told.slot, account })))
  }
  const timestamp = DateTime.makeUnsafe(seconds * 1000)
  return { slot: first.slot, blocks, newest: { ...newest, timestamp }, seen }
})
