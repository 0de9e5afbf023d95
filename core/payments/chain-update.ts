/**
 * Takes what a chain's watcher saw into the records, in one transaction: what was reorganised away is
 * dropped, what came is recorded once and matched, what became final settles its request.
 */

import { DateTime, Effect } from "effect"
import { record as audit, system } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import { Atomically } from "../ports/atomically.ts"
import type { ChainUpdate, Connected, TransferLog } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { assign } from "./assign.ts"
import { recomputeRequest } from "./recompute.ts"
import { hasRefund } from "./refundable.ts"
import { rejectTransfer } from "./reject-payment.ts"
import { supersedeRefunds } from "./supersede-refunds.ts"
import type { Transfer } from "./transfer.ts"
import { type Cursor, Cursors, Transfers } from "./transfer-store.ts"

/** Blocks a watcher remembers to find the fork of a reorganisation; more than any finality it waits for. */
export const maxRememberedBlocks = (connected: Connected): number =>
  Math.max(64, connected.confirmations + 32)

/** Where the watcher stands after a chain update. */
export const advancedCursor = (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate
): Cursor => {
  const blocks = cursor.blocks
    .filter((block) => block.number <= sighting.commonNumber)
    .concat(sighting.blocks)
    .slice(-maxRememberedBlocks(connected))
  const tip = blocks.at(-1)?.number ?? 0
  const finalNumber = Math.min(sighting.finalNumber, tip)
  const newestFinal = blocks.filter((block) => block.number <= finalNumber).at(-1)
  const finalTime = newestFinal?.timestamp ?? cursor.finalTime
  return {
    chainId: cursor.chainId,
    blocks,
    head: sighting.head,
    finalNumber,
    finalTime: DateTime.max(finalTime, cursor.finalTime)
  }
}

/** Records one transfer to a vault and says which request it now counts for. */
const take = Effect.fnUntraced(function* (vault: Wallet, transferred: TransferLog) {
  const transfers = yield* Transfers
  const { assignment, settlementId } = yield* assign(vault, transferred)
  const transfer: Transfer = {
    id: yield* (yield* Ids).uuid,
    accountId: vault.accountId,
    vaultId: vault.id,
    chainId: vault.chainId,
    txHash: transferred.txHash,
    logIndex: transferred.logIndex,
    blockNumber: transferred.block.number,
    blockHash: transferred.block.hash,
    blockTime: transferred.block.timestamp,
    payerAddress: transferred.from,
    amountMicro: transferred.amountMicro,
    state: "seen",
    seenAt: yield* DateTime.now,
    finalAt: null,
    ...assignment
  }
  const { outcome, id } = yield* transfers.record(transfer)
  if (outcome === "known") return undefined
  // What was sent back before its block was dropped counts for nothing in another block either.
  const isNew = outcome === "recorded" || !(yield* hasRefund(id))
  if (outcome === "reincluded" && isNew) yield* transfers.assign(id, assignment)
  if (outcome === "reincluded") yield* supersedeRefunds(vault.accountId, [id], system)
  if (settlementId !== undefined) yield* (yield* SubmissionStore).attach(settlementId, id)
  yield* audit({
    accountId: vault.accountId,
    actor: system,
    action: "transfer.seen",
    subjectType: "transfer",
    subjectId: id,
    facts: {
      txHash: transferred.txHash,
      amountSmallestUnit: transferred.amountMicro.toString(),
      ...(assignment.requestId === null
        ? { settlementIssue: assignment.settlementIssue }
        : { requestId: assignment.requestId })
    }
  })
  return assignment.requestId ?? undefined
})

const vaultsOf = Effect.fnUntraced(function* (chainId: string, sighting: ChainUpdate) {
  const addresses = [...new Set(sighting.transfers.map((transfer) => transfer.to))]
  if (addresses.length === 0) return new Map<string, Wallet>()
  const vaults = yield* (yield* Wallets).vaultsAt(chainId, addresses)
  return new Map(vaults.map((vault) => [Address.keyOf(chainId, vault.address), vault]))
})

/** Takes a chain update in; false, and nothing changed, when another replica took this place already. */
export const applyChainUpdate = Effect.fnUntraced(function* (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate
) {
  const tip = cursor.blocks.at(-1)
  if (tip === undefined) return false
  const transfers = yield* Transfers
  const next = advancedCursor(connected, cursor, sighting)
  if (!(yield* (yield* Cursors).move(tip.hash, next))) return false
  const touched = new Set<string | undefined>()
  if (sighting.commonNumber < tip.number) {
    const dropped = yield* transfers.markReorged(cursor.chainId, sighting.commonNumber)
    for (const transfer of dropped) touched.add(transfer.requestId ?? undefined)
    for (const id of touched) if (id !== undefined) yield* recomputeRequest(id)
  }
  const vaults = yield* vaultsOf(cursor.chainId, sighting)
  for (const transferred of sighting.transfers) {
    const vault = vaults.get(Address.keyOf(cursor.chainId, transferred.to))
    if (vault !== undefined && transferred.amountMicro > 0n) {
      touched.add(yield* take(vault, transferred))
    }
  }
  const now = yield* DateTime.now
  const final = yield* transfers.finalise(cursor.chainId, next.finalNumber, now)
  for (const transfer of final) touched.add(transfer.requestId ?? undefined)
  for (const id of touched) if (id !== undefined) yield* recomputeRequest(id)
  for (const transfer of final) yield* rejectTransfer(transfer)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("payments"))
  return true
})
