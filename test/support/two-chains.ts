/** Two chains whose blocks are written by hand: a test says what a watcher sees, and the records take it in. */
import { DateTime, Effect, Layer } from "effect"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import * as Chain from "../../core/chains/chain.ts"
import { applyChainUpdate } from "../../core/payments/chain-update.ts"
import { type Cursor, Cursors } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { type Block, Chains, type Connected, type TransferLog } from "../../core/ports/chains.ts"
import * as Rows from "./rows.ts"

export const chainIds = ["local", "base"] as const

const connection = (id: string, place: number): ScriptedChain.Connection => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc: `0x${`0${place + 5}`.repeat(20)}`,
  confirmations: 3,
  pollMs: 3_600_000
})

/** The whole treasury in memory on both chains. */
export const twoChains = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: ScriptedChain.makeState(chainIds.map(connection)) }, 1)
)

export const usdcOn = (chainId: string) =>
  Effect.map(Chains, ({ connected }) => {
    const found = connected.find(({ chain }) => chain.id === chainId) as Connected
    return found.usdc
  })

const cursorOf = (chainId: string) =>
  Effect.flatMap(Cursors, (cursors) => Effect.map(cursors.find(chainId), (it) => it as Cursor))

/** Where watching begins. */
export const begin = Effect.gen(function* () {
  for (const chainId of chainIds) {
    const blocks = [Rows.aBlock(100)]
    yield* (yield* Cursors).start({
      chainId,
      blocks,
      head: 100,
      finalNumber: 100,
      finalTime: Rows.at(100),
      round: null
    })
  }
})

export interface Seen {
  /** Blocks above this one are gone; the tip when none is. */
  readonly commonNumber?: number
  /** What the next block has in it; without it no block comes. */
  readonly transfers?: ReadonlyArray<Omit<TransferLog, "block" | "logIndex">>
  readonly finalNumber?: number
}

/** Takes it in, and says where the chain's tip is then. */
export const sees = Effect.fnUntraced(function* (chainId: string, seen: Seen) {
  const cursor = yield* cursorOf(chainId)
  const { connected } = yield* Chains
  const tip = cursor.blocks.at(-1) as Block
  const commonNumber = seen.commonNumber ?? tip.number
  const common = cursor.blocks.find(({ number }) => number === commonNumber) as Block
  const block: Block = {
    number: commonNumber + 1,
    hash: Rows.aTxHash(),
    timestamp: DateTime.add(common.timestamp, { seconds: 1 })
  }
  const isNew = seen.transfers !== undefined
  const sighting = {
    head: isNew ? block.number : commonNumber,
    commonNumber,
    blocks: isNew ? [block] : [],
    transfers: (seen.transfers ?? []).map((each, logIndex) => ({ ...each, logIndex, block })),
    finalNumber: seen.finalNumber ?? Math.min(cursor.finalNumber, commonNumber),
    atHead: true
  }
  const chain = connected.find((each) => each.chain.id === chainId) as Connected
  yield* (yield* Atomically).run(applyChainUpdate(chain, cursor, sighting))
  return sighting.head
})
