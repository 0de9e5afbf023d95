/** A chain to look at from where a watcher stands, and to push about; and the looks themselves. */
import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import {
  type Block,
  type ChainPosition,
  Chains,
  type ChainUpdate
} from "../../core/ports/chains.ts"
import * as Value from "./chain-values.ts"

/** The chain under test, from the side of those who pay on it and of the world that disturbs it. */
export class World extends Context.Service<
  World,
  {
    readonly chainId: string
    /** Who pays. */
    readonly payer: AddressKey
    /** Pays in a block of its own; the transaction. */
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<TransactionId>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many new ones, transactions kept in the first. */
    readonly reorg: (depth: number, keep: ReadonlyArray<string>) => Effect.Effect<void>
    /** Drops the newest blocks for none. */
    readonly rollBack: (depth: number) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/World") {}

export const addressOf = (digit: string) => Value.lower(`0x${digit.repeat(40)}`)
export const [ada, ben] = [addressOf("a"), addressOf("b")]

export const placeAtTip = Effect.gen(function* () {
  const { chainId } = yield* World
  return { blocks: [yield* (yield* Chains).tip(chainId)] } satisfies ChainPosition
})

export const lookFrom = Effect.fnUntraced(function* (place: ChainPosition) {
  return yield* (yield* Chains).look((yield* World).chainId, place)
})

/** Where a watcher stands that took what it saw. */
export const after = (place: ChainPosition, sighting: ChainUpdate): ChainPosition => ({
  blocks: place.blocks
    .filter((block) => block.number <= sighting.commonNumber)
    .concat(sighting.blocks)
    .slice(-64)
})

export const tipOf = (place: ChainPosition): Block => {
  const tip = place.blocks.at(-1)
  if (tip === undefined) throw new Error("A place has at least one block.")
  return tip
}

export const assertConsecutive = (from: number, blocks: ReadonlyArray<Block>) =>
  assert.deepStrictEqual(
    blocks.map((block) => block.number),
    blocks.map((_, at) => from + 1 + at)
  )
