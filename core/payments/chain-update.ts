/**
 * Takes what a chain's watcher saw into the records: what was reorganised away is dropped, what came is
 * recorded once and matched, what became final settles its request. It is one transaction, unless so much is
 * dropped or final that it would hold the chain for long.
 */

import { DateTime, Effect } from "effect"
import { record as audit, system } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { Atomically } from "../ports/atomically.ts"
import type { ChainUpdate, Connected, TransferLog } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { assign } from "./assign.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { recomputeRequest } from "./recompute.ts"
import { hasRefund, supersedeRefunds } from "./refundable.ts"
import { rejectTransfer } from "./reject-payment.ts"
import * as Round from "./round.ts"
import { SettledBalances } from "./settled-balance-store.ts"
import type { Transfer } from "./transfer.ts"
import { type Cursor, Cursors, Transfers } from "./transfer-store.ts"

/** Blocks a watcher remembers to find the fork of a reorganisation; more than any finality it waits for. */
export const maxRememberedBlocks = (connected: Connected): number =>
  Math.max(64, connected.confirmations + 32)

/** Where the watcher stands after a chain update, of a look that these vaults had their turn in. */
const advancedCursor = (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate,
  turns?: Round.Turns
): Cursor => {
  const blocks = cursor.blocks
    .filter((block) => block.number <= sighting.commonNumber)
    .concat(sighting.blocks)
    .slice(-maxRememberedBlocks(connected))
  const tip = blocks.at(-1)?.number ?? 0
  const finalNumber = Math.min(sighting.finalNumber, tip)
  const at = { chainId: cursor.chainId, blocks, head: sighting.head, finalNumber }
  if (Address.familyOf(cursor.chainId).tellsByAddress) {
    return { ...at, ...Round.passed(cursor, blocks, sighting.known, turns) }
  }
  const newestFinal = blocks.filter((block) => block.number <= finalNumber).at(-1)
  const finalTime = newestFinal?.timestamp ?? cursor.finalTime
  return { ...at, finalTime: DateTime.max(finalTime, cursor.finalTime), round: null }
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

/** Transfers that one transaction drops, or makes final, beside those it takes. */
export const maxTransfers = 100

/** Brings up to date the requests of transfers that were dropped or became final. */
const recompute = Effect.fnUntraced(function* (transfers: ReadonlyArray<Transfer>) {
  for (const id of new Set(transfers.map(({ requestId }) => requestId))) {
    if (id !== null) yield* recomputeRequest(id)
  }
})

/** Anybody may send dust, and people are told of only so many deposits a day: of dust they are not. */
const tellDeposit = Effect.fnUntraced(function* ({
  accountId,
  amountMicro,
  chainId,
  id
}: Transfer) {
  if (amountMicro < (yield* PaymentSettings).dustMicro) return
  yield* giveNotice({
    accountId,
    type: "deposit_needs_review",
    subject: id,
    role: "approver",
    summary: `${Usdc.format(amountMicro)} USDC came in on ${chainId} and count for no payment request.`,
    path: `/console/deposits/${id}`
  })
})

/** Makes final what the cursor has passed, in the running transaction; whether there may be more. */
export const finalise = Effect.fnUntraced(function* (
  { chainId, finalNumber }: Cursor,
  touched: ReadonlySet<string> = new Set()
) {
  const now = yield* DateTime.now
  const final = yield* (yield* Transfers).finalise(chainId, finalNumber, now, maxTransfers)
  const ids = final.flatMap(({ requestId }) => (requestId === null ? [] : [requestId]))
  for (const id of new Set([...touched, ...ids])) yield* recomputeRequest(id)
  for (const transfer of final) {
    yield* rejectTransfer(transfer)
    if (transfer.requestId === null && transfer.resolution === null) yield* tellDeposit(transfer)
  }
  return final.length === maxTransfers
})

/** For how long more money is expected on a vault that has none to come. */
const followedAfterPayment = { hours: 1 }

export interface Applied {
  /** `behind` when another replica moved the cursor first; `dropped` when more may have to be dropped before anything is taken. */
  readonly outcome: "taken" | "dropped" | "behind"
  /** Where the cursor stands now, unless it is behind. */
  readonly cursor: Cursor
  /** Whether there may be more that became final. */
  readonly isMoreFinal: boolean
}

/**
 * Takes a chain update in. Of many transfers that were reorganised away only some are dropped, and the cursor
 * goes back to the last block that stands: it is applied again from there, by whoever comes next.
 */
export const applyChainUpdate = Effect.fnUntraced(function* (
  connected: Connected,
  cursor: Cursor,
  sighting: ChainUpdate,
  turns?: Round.Turns
) {
  const behind: Applied = { outcome: "behind", cursor, isMoreFinal: false }
  const tip = cursor.blocks.at(-1)
  if (tip === undefined) return behind
  const cursors = yield* Cursors
  const next = advancedCursor(connected, cursor, sighting, turns)
  if (!(yield* cursors.move(tip.hash, next))) return behind
  const dropped = yield* (yield* Transfers).markReorged(
    cursor.chainId,
    Math.min(sighting.commonNumber, tip.number),
    maxTransfers
  )
  yield* recompute(dropped)
  const signalled = (yield* Notifier).signal("payments")
  yield* (yield* Atomically).afterCommit(signalled)
  if (dropped.length === maxTransfers) {
    const back = advancedCursor(connected, cursor, { ...sighting, blocks: [] })
    yield* cursors.move(next.blocks.at(-1)?.hash ?? "", back)
    return { outcome: "dropped", cursor: back, isMoreFinal: false } satisfies Applied as Applied
  }
  const touched = new Set<string>()
  const vaults = yield* vaultsOf(cursor.chainId, sighting)
  for (const transferred of sighting.transfers) {
    const vault = vaults.get(Address.keyOf(cursor.chainId, transferred.to))
    if (vault !== undefined && transferred.amountMicro > 0n) {
      const requestId = yield* take(vault, transferred)
      if (requestId !== undefined) touched.add(requestId)
    }
  }
  const isMoreFinal = yield* finalise(next, touched)
  yield* (yield* SettledBalances).settle(
    cursor.chainId,
    sighting.settled ?? [],
    DateTime.add(yield* DateTime.now, followedAfterPayment)
  )
  return { outcome: "taken", cursor: next, isMoreFinal } satisfies Applied as Applied
})
