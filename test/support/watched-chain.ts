/** A chain to look at from where a watcher stands, and to push about; and the looks themselves. */
import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { Address, AddressKey, TransactionId } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import {
  type Block,
  type ChainPosition,
  Chains,
  type ChainUpdate,
  type Watched
} from "../../core/ports/chains.ts"
import * as Value from "./chain-values.ts"

/** The chain under test, from the side of those who pay on it and of the world that disturbs it. */
export class World extends Context.Service<
  World,
  {
    readonly chainId: string
    /** Who pays. */
    readonly payer: AddressKey
    /** Addresses that a digit stands for, each another. */
    readonly addressOf: (digit: string) => Address & AddressKey
    /** The same address in another spelling, where its chain has one. */
    readonly respelt: (address: Address) => Address
    /** Whether numbers are left out, as by a slot without a block, and a block may come between two payments. */
    readonly skipsNumbers: boolean
    /** Pays in a block of its own; the transaction. */
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<TransactionId>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /**
     * Drops the newest blocks, as many as were mined or paid in, for as many new ones, transactions kept in the first.
     * The number of the highest that stands.
     */
    readonly reorg: (depth: number, keep: ReadonlyArray<string>) => Effect.Effect<number>
    /** Drops the newest blocks for none; the number of the highest that stands. */
    readonly rollBack: (depth: number) => Effect.Effect<number>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/World") {}

export const addressOf = (digit: string) => Value.lower(`0x${digit.repeat(40)}`)

/** How EVM chains have it. */
export const evm = {
  addressOf,
  respelt: (address: Address) => Value.address(address.toUpperCase().replace("0X", "0x")),
  skipsNumbers: false
}

/** Says of a disturbance of consecutive blocks what stands afterwards. */
export const standing = <Args extends ReadonlyArray<unknown>, R>(
  tip: Effect.Effect<Block, unknown, R>,
  disturb: (depth: number, ...args: Args) => Effect.Effect<void, never, R>
) =>
  Effect.fnUntraced(function* (depth: number, ...args: Args) {
    const { number } = yield* Effect.orDie(tip)
    yield* disturb(depth, ...args)
    return number - depth
  })

/** What a watcher knows that follows these addresses, as if all before had been settled. */
export interface Place extends ChainPosition {
  readonly watched: Watched
}

const digits = [..."abcde1"]

export const placeAtTip = Effect.gen(function* () {
  const { addressOf, chainId } = yield* World
  const { balances, tip } = yield* Chains
  const block = yield* tip(chainId)
  const addresses = digits.map(addressOf)
  const held = yield* balances(chainId, addresses)
  const settled = addresses.map((address, at) => ({
    address,
    number: block.number,
    heldMicro: held[at] ?? Usdc.zero
  }))
  return {
    blocks: [block],
    watched: { addresses: settled, recorded: [], recordedAbove: 0 }
  } satisfies Place
})

export const lookFrom = Effect.fnUntraced(function* (place: Place) {
  return yield* (yield* Chains).look((yield* World).chainId, place)
})

/** Where a watcher stands that took what it saw. */
export const after = (
  { blocks, watched }: Place,
  { commonNumber, settled = [], transfers, ...seen }: ChainUpdate
): Place => ({
  blocks: blocks
    .filter((block) => block.number <= commonNumber)
    .concat(seen.blocks)
    .slice(-64),
  watched: {
    addresses: watched.addresses.map(
      (known) => settled.find(({ address }) => address === known.address) ?? known
    ),
    recordedAbove: watched.recordedAbove,
    recorded: watched.recorded
      .filter(({ blockNumber }) => blockNumber <= commonNumber)
      .concat(transfers.map((each) => ({ ...each, blockNumber: each.block.number })))
  }
})

export const tipOf = (place: ChainPosition): Block => {
  const tip = place.blocks.at(-1)
  if (tip === undefined) throw new Error("A place has at least one block.")
  return tip
}

/** One number after the other, or at least each above the one before where numbers are left out. */
export const assertConsecutive = Effect.fnUntraced(function* (
  from: number,
  blocks: ReadonlyArray<Block>
) {
  const { skipsNumbers } = yield* World
  const numbers = blocks.map((block) => block.number)
  const rising = numbers.map((number, at) => number > (numbers[at - 1] ?? from))
  assert.notInclude(rising, false)
  if (skipsNumbers) return
  assert.deepStrictEqual(
    numbers,
    blocks.map((_, at) => from + 1 + at)
  )
})
