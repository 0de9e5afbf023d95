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
const maxBlocks = 512

export interface Asked {
  readonly commitment: Node.Commitment
  readonly fromSlot?: number
  /** The block that must be among those told, if the chain still tells of it; the newest few do where it is left out. */
  readonly sinceBlock?: number
}

/** Two of the accounts that are told at once are the chain's own. */
const roomBesides = Node.maxAccounts - 2

/** Twenty calls a second, however many vaults there are and however fast the node is. */
const paceMs = 50

/** The time, the newest blocks and the first accounts: all of one slot. */
const beginning = Effect.fnUntraced(function* (
  node: Node.Node,
  addresses: ReadonlyArray<string>,
  { commitment, fromSlot }: Asked,
  wanted: number
): Effect.fn.Return<
  Pick<Snapshot, "slot" | "blocks" | "seen"> & { readonly seconds: number | undefined },
  RpcFailed | ChainUnavailable
> {
  const { accounts, slot } = yield* Node.accounts(
    node,
    [Sysvars.clock, Sysvars.slotHashes, ...addresses.slice(0, roomBesides)],
    {
      commitment,
      bytes: Sysvars.bytesFor(wanted),
      ...(fromSlot === undefined ? {} : { fromSlot })
    }
  )
  const [clock, hashes, ...held] = accounts
  return {
    slot,
    blocks: hashes === undefined ? [] : Sysvars.blocksIn(hashes.data),
    seconds: clock === undefined ? undefined : Sysvars.secondsIn(clock.data),
    seen: held.map((account) => ({ slot, account }))
  }
})

export const take = Effect.fnUntraced(function* (
  node: Node.Node,
  addresses: ReadonlyArray<string>,
  asked: Asked
): Effect.fn.Return<Snapshot, RpcFailed | ChainUnavailable> {
  const { commitment, fromSlot, sinceBlock } = asked
  const few = yield* beginning(node, addresses, asked, fewBlocks)
  const isKnown = sinceBlock === undefined || (few.blocks[0]?.number ?? 0) <= sinceBlock
  // Asked before everything else: a look at very many vaults takes longer than the few blocks last.
  const first = isKnown ? few : yield* beginning(node, addresses, asked, maxBlocks)
  const { blocks, seconds, slot } = first
  const newest = blocks.at(-1)
  if (newest === undefined || seconds === undefined || newest.number >= slot) {
    return yield* Node.unavailable(node, "inconsistent", "the node does not tell its newest blocks")
  }
  const seen: Array<Seen> = [...first.seen]
  for (let at = roomBesides; at < addresses.length; at += Node.maxAccounts) {
    const isLast = at + Node.maxAccounts >= addresses.length
    const asking = Node.accounts(node, addresses.slice(at, at + Node.maxAccounts), {
      commitment,
      bytes: Sysvars.bytesFor(fewBlocks),
      ...(fromSlot === undefined ? {} : { fromSlot })
    })
    const pause = isLast ? Effect.void : Effect.sleep(paceMs)
    const [told] = yield* Effect.all([asking, pause], { concurrency: 2 })
    seen.push(...told.accounts.map((account) => ({ slot: told.slot, account })))
  }
  const timestamp = DateTime.makeUnsafe(seconds * 1000)
  return { slot, blocks, newest: { ...newest, timestamp }, seen }
})
