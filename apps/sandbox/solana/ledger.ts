/**
 * The ledger of the local Solana: its slots, its recent block hashes, what landed and in which slot. An account is
 * read as of any slot back to the last final one, because each transaction leaves behind what it changed.
 */
import { createHash, randomBytes } from "node:crypto"
import type { Address, MaybeEncodedAccount } from "@solana/kit"
import type { LiteSVM } from "litesvm"
import type { Runtime, TransactionError } from "./svm.ts"
import { type Decoded, to58 } from "./transaction.ts"

export type Commitment = "processed" | "confirmed" | "finalized"

/** A transaction in a slot, whether or not it failed there. */
export interface Entry extends Decoded {
  readonly slot: bigint
  /** Unix seconds. */
  readonly blockTime: bigint
  readonly err: TransactionError | null
  /** As nodes tell it. */
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Block {
  readonly slot: bigint
  readonly hash: string
  /** Unix seconds. */
  readonly time: bigint
}

export interface Ledger {
  readonly runtime: Runtime
  readonly genesis: string
  svm: LiteSVM
  slot: bigint
  height: bigint
  /** Newest last. */
  hashes: Array<readonly [hash: string, height: bigint]>
  /** The blocks that stand, newest last. */
  blocks: Array<Block>
  readonly entries: Map<string, Entry>
  /** Signatures by account, oldest first. */
  readonly history: Map<string, Array<string>>
  /** What accounts were before a transaction, oldest first. */
  changes: Array<{
    readonly slot: bigint
    readonly signature: string
    readonly before: ReadonlyMap<Address, MaybeEncodedAccount>
  }>
  /** What becomes of transactions that are handed over. */
  weather: "clear" | "lost" | { readonly lateSlots: bigint }
  late: Array<{ readonly raw: Uint8Array; readonly slot: bigint }>
  /** What transactions of the last slots are said to have bid, in micro-lamports for a compute unit. */
  askedPriority: bigint
  /** While it is set, no later slot becomes final. */
  heldRoot: bigint | undefined
  /** Transactions of earlier slots are told by no node. */
  historyFrom: bigint
  /** Called whenever a slot has passed or a transaction has landed. */
  readonly listeners: Set<() => void>
}

/** Blocks for which a hash is good. */
export const hashLife = 150n
const slotsToFinal = 32n
/** Blocks that the chain tells of itself, and some more for fronts that are behind. */
export const toldBlocks = 512
const keptBlocks = toldBlocks + 128
/** How far behind the final slot a front of the node may be. */
const keptBehindFinal = 64n

/** A slot is not a block height; here, as on the real chain, the two are never the same number. */
const firstSlot = 1000n

export const begin = (runtime: Runtime): Ledger => ({
  runtime,
  genesis: to58(randomBytes(32)),
  svm: runtime.create(),
  slot: firstSlot,
  height: 1n,
  hashes: [],
  blocks: [],
  entries: new Map(),
  history: new Map(),
  changes: [],
  weather: "clear",
  late: [],
  askedPriority: 0n,
  heldRoot: undefined,
  historyFrom: 0n,
  listeners: new Set()
})

const greater = (one: bigint, other: bigint) => (one > other ? one : other)

/** The newest slot of a commitment, as it is seen by a front that is so many slots behind. */
export const slotAt = (ledger: Ledger, commitment: Commitment, behind = 0n): bigint => {
  const newest = ledger.slot - behind
  if (commitment === "processed") return newest
  if (commitment === "confirmed") return newest - 1n
  const root = newest - slotsToFinal
  return greater(
    ledger.heldRoot === undefined || root < ledger.heldRoot ? root : ledger.heldRoot,
    0n
  )
}

export const heightAt = (ledger: Ledger, commitment: Commitment, behind = 0n): bigint =>
  greater(ledger.height - (ledger.slot - slotAt(ledger, commitment, behind)), 0n)

export const commitmentOf = (ledger: Ledger, slot: bigint, behind = 0n): Commitment => {
  if (slot <= slotAt(ledger, "finalized", behind)) return "finalized"
  return slot <= slotAt(ledger, "confirmed", behind) ? "confirmed" : "processed"
}

/** An account as it was at the end of a slot. */
export const accountAt = (ledger: Ledger, address: Address, slot: bigint): MaybeEncodedAccount => {
  const next = ledger.changes.find((change) => change.slot > slot && change.before.has(address))
  return next?.before.get(address) ?? ledger.svm.getAccount(address)
}

/** The addresses of a program's accounts now or since a slot. */
export const accountsOf = (ledger: Ledger, program: Address, slot: bigint) => {
  const now = ledger.svm.getProgramAccounts(program).map(({ address }) => address)
  const changed = ledger.changes.filter((change) => change.slot > slot)
  const all = new Set([...now, ...changed.flatMap(({ before }) => [...before.keys()])])
  return [...all].flatMap((address) => {
    const account = accountAt(ledger, address, slot)
    return account.exists && account.programAddress === program ? [account] : []
  })
}

export const isRecent = (ledger: Ledger, hash: string): boolean =>
  ledger.hashes.some(([recent]) => recent === hash)

const announce = ({ listeners }: Ledger) => {
  for (const listener of listeners) listener()
}

/** Puts a transaction into the current slot. */
export const enter = (
  ledger: Ledger,
  entry: Entry,
  before: ReadonlyMap<Address, MaybeEncodedAccount>
): void => {
  ledger.entries.set(entry.signature, entry)
  ledger.changes.push({ slot: entry.slot, signature: entry.signature, before })
  remember(ledger, entry)
  announce(ledger)
}

/** Lists a transaction under its accounts. */
export const remember = ({ history }: Ledger, { keys, signature }: Entry): void => {
  for (const key of keys) history.set(key, [...(history.get(key) ?? []), signature])
}

/** Makes the newest block, and forgets what accounts were before all that is final. */
export const nextSlot = (ledger: Ledger, nowMs: number): void => {
  ledger.slot++
  ledger.height++
  ledger.svm.warpToSlot(ledger.slot)
  ledger.svm.expireBlockhash()
  const clock = ledger.svm.getClock()
  clock.unixTimestamp = BigInt(Math.floor(nowMs / 1000))
  ledger.svm.setClock(clock)
  const hash = to58(randomBytes(32))
  ledger.hashes.push([hash, ledger.height])
  ledger.blocks.push({ slot: ledger.slot, hash, time: clock.unixTimestamp })
  if (ledger.blocks.length > keptBlocks) ledger.blocks.shift()
  if (ledger.hashes.length > Number(hashLife) + 1) ledger.hashes.shift()
  const kept = slotAt(ledger, "finalized") - keptBehindFinal
  if ((ledger.changes[0]?.slot ?? kept) < kept) {
    ledger.changes = ledger.changes.filter(({ slot }) => slot >= kept)
  }
  announce(ledger)
}

/** Undoes the newest slots, and gives back what stood in them, oldest first. Their block hashes are unknown then. */
export const undo = (ledger: Ledger, depth: bigint): ReadonlyArray<Entry> => {
  const from = ledger.slot - depth
  const undone = ledger.changes.filter(({ slot }) => slot > from)
  ledger.changes = ledger.changes.filter(({ slot }) => slot <= from)
  for (const { before } of undone.toReversed()) {
    for (const [address, account] of before) {
      // An account without lamports is none.
      const gone = { lamports: 0n, data: new Uint8Array(), executable: false, space: 0n }
      const { programAddress } = account.exists ? account : { programAddress: system }
      ledger.svm.setAccount(
        (account.exists ? account : { ...gone, address, programAddress }) as Parameters<
          LiteSVM["setAccount"]
        >[0]
      )
    }
  }
  const entries = undone.flatMap(({ signature }) => ledger.entries.get(signature) ?? [])
  for (const { keys, signature } of entries) {
    ledger.entries.delete(signature)
    for (const key of keys) {
      const left = (ledger.history.get(key) ?? []).filter((other) => other !== signature)
      ledger.history.set(key, left)
    }
  }
  ledger.blocks = ledger.blocks.filter(({ slot }) => slot <= from)
  ledger.height -= depth
  ledger.hashes = ledger.hashes.filter(([, height]) => height <= ledger.height)
  return entries
}

const system = "11111111111111111111111111111111"

/** The value that a durable nonce takes when it is used in the current slot. */
export const nextNonce = ({ svm }: Ledger): Uint8Array =>
  createHash("sha256").update("DURABLE_NONCE").update(svm.latestBlockhash()).digest()
