/**
 * How transactions reach the local Solana: what is refused, what lands and what it then did, and what a network in bad
 * weather makes of them. A transaction that failed has landed too, if it paid its fee.
 */
import { type Address, lamports, type MaybeEncodedAccount } from "@solana/kit"
import { feeOf } from "./fee.ts"
import { type Entry, enter, isRecent, type Ledger, nextNonce, nextSlot, undo } from "./ledger.ts"
import type { TransactionError } from "./svm.ts"
import { tokenBalances } from "./token-accounts.ts"
import { type Decoded, decode, nonceAccount, to58, writable } from "./transaction.ts"

const nonceValueAt = 40

const unsigned = to58(new Uint8Array(64))

/** By its message, as one that lacks its first signature is known. */
const isProcessed = ({ entries }: Ledger, { signature, transaction }: Decoded): boolean => {
  if (signature !== unsigned) return entries.has(signature)
  const message = Buffer.from(transaction.messageBytes)
  return Array.from(entries.values()).some((entry) =>
    message.equals(Uint8Array.from(entry.transaction.messageBytes))
  )
}

/** Why a node does not take it at all. */
export const refusal = (ledger: Ledger, decoded: Decoded): TransactionError | undefined => {
  if (isProcessed(ledger, decoded)) return "AlreadyProcessed"
  if (isRecent(ledger, decoded.lifetime)) return undefined
  const nonce = nonceAccount(decoded)
  const held = nonce === undefined ? undefined : ledger.svm.getAccount(nonce)
  const value = held?.exists ? held.data.subarray(nonceValueAt, nonceValueAt + 32) : undefined
  return value !== undefined && to58(value) === decoded.lifetime ? undefined : "BlockhashNotFound"
}

type Result = ReturnType<Ledger["svm"]["sendTransaction"]>

const innerInstructions = (result: Exclude<Result, { err: unknown }>) =>
  result
    .innerInstructions()
    .map((list, index) => ({
      index,
      instructions: list.map((inner) => {
        const compiled = inner.instruction()
        return {
          programIdIndex: compiled.programIdIndex(),
          accounts: [...compiled.accounts()],
          data: to58(compiled.data()),
          stackHeight: inner.stackHeight()
        }
      })
    }))
    .filter(({ instructions }) => instructions.length > 0)

/** A failure uses the nonce up all the same, which the machine takes back. */
const useNonce = (ledger: Ledger, decoded: Decoded) => {
  const nonce = isRecent(ledger, decoded.lifetime) ? undefined : nonceAccount(decoded)
  const held = nonce === undefined ? undefined : ledger.svm.getAccount(nonce)
  if (held === undefined || !held.exists) return
  const data = Uint8Array.from(held.data)
  data.set(nextNonce(ledger), nonceValueAt)
  ledger.svm.setAccount({ ...held, data })
}

export type Landed =
  | { readonly _tag: "landed"; readonly entry: Entry }
  | {
      readonly _tag: "refused"
      readonly error: TransactionError
      readonly logs: ReadonlyArray<string>
    }

const before = (ledger: Ledger, decoded: Decoded): ReadonlyMap<Address, MaybeEncodedAccount> =>
  new Map(writable(decoded).map((key) => [key, ledger.svm.getAccount(key)]))

/** Executes it in the current slot. */
export const land = (ledger: Ledger, raw: Uint8Array, nowMs: number): Landed => {
  const { runtime, slot, svm } = ledger
  const decoded = decode(svm, raw)
  const refused = refusal(ledger, decoded)
  if (refused !== undefined) return { _tag: "refused", error: refused, logs: [] }
  const held = () => decoded.keys.map((key) => svm.getBalance(key) ?? lamports(0n))
  const changed = before(ledger, decoded)
  const preBalances = held()
  const preTokenBalances = tokenBalances(svm, decoded)
  const result = svm.sendTransaction(decoded.transaction)
  const isFailed = runtime.isFailed(result)
  const told = isFailed ? result.meta() : result
  const err = isFailed ? runtime.errorOf(result) : null
  const postBalances = held()
  // It took no fee, so no block has it.
  if (err !== null && postBalances[0] === preBalances[0]) {
    return { _tag: "refused", error: err, logs: told.logs() }
  }
  if (err !== null) useNonce(ledger, decoded)
  const meta = {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: feeOf(decoded),
    preBalances,
    postBalances,
    preTokenBalances,
    postTokenBalances: tokenBalances(svm, decoded),
    innerInstructions: innerInstructions(told),
    logMessages: told.logs(),
    loadedAddresses: decoded.loaded,
    rewards: [],
    computeUnitsConsumed: told.computeUnitsConsumed()
  }
  const blockTime = BigInt(Math.floor(nowMs / 1000))
  const entry: Entry = { ...decoded, slot, blockTime, err, meta }
  enter(ledger, entry, changed)
  return { _tag: "landed", entry }
}

/** Lets slots pass; what was late lands in its own. */
export const advance = (ledger: Ledger, slots: number, nowMs: number): void => {
  for (let passed = 0; passed < slots; passed++) {
    nextSlot(ledger, nowMs)
    const due = ledger.late.filter(({ slot }) => slot <= ledger.slot)
    ledger.late = ledger.late.filter(({ slot }) => slot > ledger.slot)
    for (const { raw } of due) land(ledger, raw, nowMs)
  }
}

/** What the network makes of a transaction that a node has taken. */
export const handOver = (ledger: Ledger, raw: Uint8Array, nowMs: number): Landed | undefined => {
  const { weather } = ledger
  if (weather === "lost") return undefined
  if (weather === "clear") return land(ledger, raw, nowMs)
  ledger.late.push({ raw, slot: ledger.slot + weather.lateSlots })
  return undefined
}

/**
 * Another fork wins: the newest slots never were. What stood in them lands again in the next slot, in its order, unless
 * it is dropped, or names a block that is gone.
 */
export const fork = (
  ledger: Ledger,
  { depth, drop = [] }: { readonly depth: number; readonly drop?: ReadonlyArray<string> | "all" },
  nowMs: number
): ReadonlyArray<string> => {
  const undone = undo(ledger, BigInt(depth))
  nextSlot(ledger, nowMs)
  for (const { raw, signature } of undone) {
    if (drop !== "all" && !drop.includes(signature)) land(ledger, raw, nowMs)
  }
  return undone.map(({ signature }) => signature)
}
