/**
 * What wallets have paid, by their marks: every final transaction that a wallet stands in and that makes a mark of it.
 * A mark that was reclaimed since is told like any other.
 */
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { DateTime, Effect } from "effect"
import { type AddressKey, TransactionId } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { MadePayment, Reach } from "../../core/submissions/submitter.ts"
import { ask } from "./ask.ts"
import {
  askHistory,
  history,
  instructionsOf,
  laidOutIn,
  listedTransaction,
  paidBy
} from "./find-payment.ts"
import { historyFrom } from "./kept-history.ts"
import * as Mark from "./mark.ts"
import { type Node, unavailable } from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

const allocateWithSeed = 9
const seedAt = 4 + 32 + 8

/** The seed of a mark of the wallet's, if the instruction allocates one. */
const seedIn = (
  { accounts, data, program }: ReturnType<typeof instructionsOf>[number],
  wallet: AddressKey
): string | undefined => {
  const bytes = Buffer.from(data)
  const isAllocation =
    program === SYSTEM_PROGRAM_ADDRESS &&
    bytes.length > seedAt &&
    bytes.readUInt32LE(0) === allocateWithSeed &&
    accounts[1] === wallet
  if (!isAllocation) return undefined
  const length = Number(bytes.readBigUInt64LE(seedAt - 8))
  return bytes.subarray(seedAt, seedAt + length).toString("utf8")
}

type Listed = Effect.Success<ReturnType<typeof history>>[number]

const listedOf = Effect.fnUntraced(function* (
  node: Node,
  wallet: AddressKey,
  reach: Reach | undefined
) {
  const { paidSince, through } = reach ?? {}
  const [firstPage] = yield* ask(node, [askHistory(wallet, undefined, through?.number)])
  const all = yield* history(node, wallet, firstPage, through?.number)
  const isOld = ({ blockTime }: Listed) =>
    blockTime !== null && paidSince !== undefined && blockTime * 1000 < paidSince.epochMilliseconds
  return all.filter((entry) => entry.isFinal && !isOld(entry)).map((entry) => ({ wallet, entry }))
})

const madeIn = Effect.fnUntraced(function* (
  node: Node,
  wallet: AddressKey,
  { blockTime, signature }: Listed
) {
  const transaction = yield* listedTransaction(node, signature)
  const now = yield* DateTime.now
  // A node that has lost a block's time leaves only that it was before now.
  const at = blockTime === null ? now : DateTime.makeUnsafe(blockTime * 1000)
  const paid = { ...paidBy(transaction, wallet, node.connection), ...laidOutIn(transaction) }
  return instructionsOf(transaction).flatMap((each): ReadonlyArray<MadePayment> => {
    const seed = seedIn(each, wallet)
    const identity = seed === undefined ? undefined : Mark.identityOf(seed)
    if (identity === undefined) return []
    return [{ txId: TransactionId.make(signature), from: wallet, at, identity, ...paid }]
  })
})

/** A node that has forgotten blocks lists what it still has, and does not say that there was more. */
const requireKept = Effect.fnUntraced(function* (node: Node, since: DateTime.Utc) {
  const from = yield* historyFrom(node)
  if (!DateTime.isGreaterThan(from, since)) return
  const [begins, needed] = [from, since].map(DateTime.formatIso)
  const detail = `the node has forgotten what was before ${begins}; name one that keeps all since ${needed}`
  return yield* unavailable(node, "inconsistent", detail)
})

const walletsAtOnce = 4
const transactionsAtOnce = 8

export const madeBy = Effect.fnUntraced(function* (
  node: Node,
  wallets: ReadonlyArray<AddressKey>,
  reach?: Reach
): Effect.fn.Return<ReadonlyArray<MadePayment>, ChainUnavailable | RpcFailed> {
  if (reach !== undefined) yield* requireKept(node, reach.keptSince)
  const listed = yield* Effect.forEach(wallets, (wallet) => listedOf(node, wallet, reach), {
    concurrency: walletsAtOnce
  })
  const made = yield* Effect.forEach(
    listed.flat(),
    ({ entry, wallet }) => madeIn(node, wallet, entry),
    { concurrency: transactionsAtOnce }
  )
  return made.flat()
})
