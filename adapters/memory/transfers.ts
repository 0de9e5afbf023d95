/** The store of transfers in memory: one row for a log of a chain, whatever block it stands in. */
import { DateTime, Effect, Layer, Struct } from "effect"
import { assignable, reincluded, type Transfer } from "../../core/payments/transfer.ts"
import { type DepositFilter, Transfers } from "../../core/payments/transfer-store.ts"
import { page } from "./paging.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"
import { vaultsOf, definition as walletDefinition } from "./wallets.ts"

const logKey = ({ chainId, logIndex, txHash }: Transfer) => `${chainId} ${txHash} ${logIndex}`

const seenAt = (transfer: Transfer) => DateTime.toEpochMillis(transfer.seenAt)
const blockNumber = (transfer: Transfer) => transfer.blockNumber

export const definition = define<Transfer>()({
  name: "transfers",
  key: (transfer) => transfer.id,
  unique: { log: logKey },
  sorted: {
    transaction: {
      group: ({ chainId, txHash }) => `${chainId} ${txHash}`,
      at: ({ logIndex }) => logIndex
    },
    request: { group: ({ requestId }) => requestId ?? undefined, at: seenAt },
    deposits: {
      group: ({ accountId, requestId, resolution, state }) =>
        (requestId === null || resolution !== null) && state !== "reorged" ? accountId : undefined,
      at: seenAt
    },
    standing: {
      group: ({ chainId, state }) => (state === "reorged" ? undefined : chainId),
      at: blockNumber
    },
    repeats: {
      group: ({ candidatePids, settlementIssue, state, vaultId }) =>
        settlementIssue === "duplicate" && state === "final" && candidatePids.length === 1
          ? `${vaultId} ${candidatePids[0]}`
          : undefined,
      at: ({ finalAt }) => (finalAt === null ? 0 : DateTime.toEpochMillis(finalAt))
    },
    seen: {
      group: ({ chainId, state }) => (state === "seen" ? chainId : undefined),
      at: blockNumber
    },
    reorged: {
      group: ({ chainId, state }) => (state === "reorged" ? chainId : undefined),
      at: blockNumber
    }
  }
})

const fits =
  (filter: DepositFilter, vaultIds: ReadonlySet<string> | undefined) =>
  ({
    amountMicro,
    candidatePids,
    resolution,
    settlementIssue,
    txHash,
    vaultId
  }: Transfer): boolean =>
    (vaultIds === undefined || vaultIds.has(vaultId)) &&
    (filter.txHashes === undefined || filter.txHashes.includes(txHash)) &&
    (filter.minMicro === undefined || amountMicro >= filter.minMicro) &&
    (filter.maxMicro === undefined || amountMicro <= filter.maxMicro) &&
    (filter.onlyFor === undefined ||
      (candidatePids.length === 1 && candidatePids[0] === filter.onlyFor)) &&
    (filter.issues === undefined || filter.issues.some((each) => each === settlementIssue)) &&
    (filter.vaultId === undefined || filter.vaultId === vaultId) &&
    (filter.status === undefined || (filter.status === "open") === (resolution === null))

const asDeposit = (transfer: Transfer) => ({ ...transfer, createdAt: transfer.seenAt })

export const layer: Layer.Layer<Transfers, never, MemoryStore> = Layer.effect(
  Transfers,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const transfers = store.table(definition)
    const wallets = store.table(walletDefinition)
    const own = (accountId: string, transferId: string) => {
      const transfer = transfers.get(transferId)
      return transfer?.accountId === accountId ? transfer : undefined
    }
    const ofRequest = (requestId: string) => transfers.group("request", requestId)
    const mark = (
      journal: Journal,
      marked: ReadonlyArray<Transfer>,
      change: Pick<Transfer, "state"> & Partial<Pick<Transfer, "finalAt">>
    ) =>
      marked.map((transfer) => {
        const changed = { ...transfer, ...change }
        transfers.replace(journal, changed)
        return changed
      })
    return {
      record: (transfer) =>
        store.write((journal) => {
          const known = transfers.by("log", logKey(transfer))
          if (known === undefined) {
            transfers.insert(journal, transfer)
            return { outcome: "recorded" as const, id: transfer.id }
          }
          if (known.state !== "reorged") return { outcome: "known" as const, id: known.id }
          transfers.replace(journal, reincluded(known, transfer))
          return { outcome: "reincluded" as const, id: known.id }
        }),
      find: (accountId, transferId) => store.read(() => own(accountId, transferId)),
      lock: (accountId, transferId) => store.read(() => own(accountId, transferId)),
      ofRequest: (requestId) => store.read(() => [...ofRequest(requestId)]),
      ofRequests: (requestIds) => store.read(() => requestIds.flatMap(ofRequest)),
      ofTransaction: (chainId, txHash) =>
        store.read(() => [...transfers.group("transaction", `${chainId} ${txHash}`)]),
      ofTransactions: (chainId, txHashes) =>
        store.read(() =>
          [...new Set(txHashes)].flatMap((txHash) =>
            transfers.group("transaction", `${chainId} ${txHash}`)
          )
        ),
      firstRepeats: ({ max, pid, vaultId }) =>
        store.read(() =>
          transfers
            .group("repeats", `${vaultId} ${pid}`)
            .slice(0, max)
            .map(({ id }) => id)
        ),
      assign: (transferId, assignment) =>
        store.write((journal) => {
          const transfer = transfers.get(transferId)
          if (transfer === undefined) throw new Error(`transfers: there is no ${transferId}`)
          transfers.replace(journal, { ...transfer, ...Struct.pick(assignment, assignable) })
        }),
      markReorged: (chainId, aboveBlock, max) =>
        store.write((journal) => {
          const standing = transfers.group("standing", chainId)
          const kept = countWhile(standing, (transfer) => transfer.blockNumber <= aboveBlock)
          return mark(journal, standing.slice(kept).slice(-max), { state: "reorged" })
        }),
      finalise: (chainId, throughBlock, at, max) =>
        store.write((journal) => {
          const seen = transfers.group("seen", chainId)
          const count = countWhile(seen, (transfer) => transfer.blockNumber <= throughBlock)
          return mark(journal, seen.slice(0, Math.min(count, max)), { state: "final", finalAt: at })
        }),
      deposits: (accountId, filter, request) =>
        store.read(() =>
          page(
            transfers.group("deposits", accountId),
            request,
            asDeposit,
            fits(filter, vaultsOf(wallets, accountId, filter.customer))
          )
        )
    }
  })
)
