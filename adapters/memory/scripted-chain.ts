/**
 * The state of scripted chains and how it changes: a payment is mined in a block, a reorganisation makes
 * other blocks of it. Every block and transaction made gets a hash no other has.
 */
import { DateTime } from "effect"
import type { Block, Connected } from "../../core/ports/chains.ts"

export interface Payment {
  readonly txHash: string
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
}

export interface Mined extends Block {
  readonly payments: ReadonlyArray<Payment>
}

export interface Scripted {
  readonly connected: Connected
  /** All blocks; each stands at its number. */
  readonly blocks: Array<Mined>
  isAway: boolean
  /** By how much the chain's time is ahead of the clock. */
  aheadSeconds: number
}

/** Everything the scripted chains remember. */
export interface State {
  readonly scripted: ReadonlyMap<string, Scripted>
  blocksMade: number
  transactionsMade: number
}

const hash = (prefix: string, count: number): string =>
  `0x${prefix}${count.toString(16).padStart(64 - prefix.length, "0")}`

const first = (state: State): Mined => ({
  number: 0,
  hash: hash("b10c", state.blocksMade++),
  timestamp: DateTime.makeUnsafe(0),
  payments: []
})

/** New chains, each with nothing but its first block. */
export const makeState = (connections: ReadonlyArray<Connected>): State => {
  const scripted = new Map<string, Scripted>()
  const state: State = { scripted, blocksMade: 0, transactionsMade: 0 }
  for (const connected of connections) {
    scripted.set(connected.chain.id, {
      connected: { ...connected, usdc: connected.usdc.toLowerCase() },
      blocks: [first(state)],
      isAway: false,
      aheadSeconds: 0
    })
  }
  return state
}

/** The chain of that name, or the first. */
export const find = (state: State, chainId?: string): Scripted => {
  const [someChain] = state.scripted.values()
  const chain = chainId === undefined ? someChain : state.scripted.get(chainId)
  if (chain === undefined) throw new Error(`Chain ${chainId} is not connected.`)
  return chain
}

export const tip = (chain: Scripted): Mined => {
  const newest = chain.blocks.at(-1)
  if (newest === undefined) throw new Error("A chain has at least its first block.")
  return newest
}

/** Mines a block at the clock's time, though never before its parent's. */
export const mine = (
  state: State,
  chain: Scripted,
  nowMs: number,
  payments: ReadonlyArray<Payment> = []
): Mined => {
  const parent = tip(chain)
  const seconds = Math.floor(nowMs / 1000) + chain.aheadSeconds
  const block: Mined = {
    number: parent.number + 1,
    hash: hash("b10c", state.blocksMade++),
    timestamp: DateTime.max(parent.timestamp, DateTime.makeUnsafe(seconds * 1000)),
    payments
  }
  chain.blocks.push(block)
  return block
}

/** A payment with a transaction of its own, not yet mined. */
export const sign = (state: State, payment: Omit<Payment, "txHash">): Payment => ({
  txHash: hash("7a", state.transactionsMade++),
  from: payment.from.toLowerCase(),
  to: payment.to.toLowerCase(),
  amountMicro: payment.amountMicro
})

/** Takes the newest blocks away and gives back the payments that were in them. */
export const drop = (chain: Scripted, depth: number): ReadonlyArray<Payment> => {
  if (depth < 1 || depth >= chain.blocks.length) {
    throw new Error(`A chain of ${chain.blocks.length} blocks cannot lose ${depth}.`)
  }
  return chain.blocks.splice(-depth).flatMap((block) => block.payments)
}

/** USDC held by an address; payers are not asked where they have theirs from. */
export const balance = (chain: Scripted, holder: string): bigint => {
  const address = holder.toLowerCase()
  let heldMicro = 0n
  for (const { from, to, amountMicro } of chain.blocks.flatMap((block) => block.payments)) {
    if (to === address) heldMicro += amountMicro
    if (from === address) heldMicro -= amountMicro
  }
  return heldMicro < 0n ? 0n : heldMicro
}
