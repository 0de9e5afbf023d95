/**
 * The store of proposals in memory. A transaction has the store to itself, so it locks what it reads; a
 * state moves only to one that may follow it.
 */
import { DateTime, Effect, Layer } from "effect"
import { newestFirst } from "../../core/operation/page.ts"
import { changing, leadingTo, type Proposal } from "../../core/proposals/proposal.ts"
import { type Filter, Proposals } from "../../core/proposals/proposal-store.ts"
import { page } from "./paging.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"

const createdAt = (proposal: Proposal) => DateTime.toEpochMillis(proposal.createdAt)
const expiresAt = (proposal: Proposal) => DateTime.toEpochMillis(proposal.expiresAt)

const isWaiting = ({ status }: Proposal) =>
  status === "pending_confirm" || status === "requires_action"

const everywhere = "all"

const keyIn = (accountId: string, id: string) => JSON.stringify([accountId, id])

/** The deposit or request that a waiting refund sends back. */
const refundedBy = (proposal: Proposal): string | undefined => {
  if (proposal.kind !== "refund" || !isWaiting(proposal)) return undefined
  const source = proposal.terms.depositId ?? proposal.terms.paymentRequestId
  return typeof source === "string" ? keyIn(proposal.accountId, source) : undefined
}

export const definition = define<Proposal>()({
  name: "proposals",
  key: (proposal) => proposal.id,
  sorted: {
    account: { group: (proposal) => proposal.accountId, at: createdAt },
    expiring: {
      group: (proposal) => (isWaiting(proposal) ? everywhere : undefined),
      at: expiresAt
    },
    waitingOn: {
      group: (proposal) =>
        isWaiting(proposal) && proposal.recipientId !== null
          ? keyIn(proposal.accountId, proposal.recipientId)
          : undefined,
      at: createdAt
    },
    refunding: { group: refundedBy, at: createdAt },
    waiting: {
      group: (proposal) => (isWaiting(proposal) ? proposal.accountId : undefined),
      at: createdAt
    }
  }
})

const fits =
  (filter: Filter) =>
  ({ amountMicro, kind, recipientId, status }: Proposal): boolean =>
    (filter.status === undefined || filter.status === status) &&
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.recipientId === undefined || filter.recipientId === recipientId) &&
    (filter.minMicro === undefined || (amountMicro !== null && amountMicro >= filter.minMicro)) &&
    (filter.maxMicro === undefined || (amountMicro !== null && amountMicro <= filter.maxMicro))

/** Whether one of these has proposed or confirmed it. */
const isBehind = ({ confirmedBy, proposedBy }: Proposal, keyIds: ReadonlyArray<string>) =>
  keyIds.includes(proposedBy) || (confirmedBy !== null && keyIds.includes(confirmedBy))

export const layer: Layer.Layer<Proposals, never, MemoryStore> = Layer.effect(
  Proposals,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const proposals = store.table(definition)
    const move = (journal: Journal, proposal: Proposal) => {
      const kept = proposals.get(proposal.id)
      const mayMove =
        kept?.accountId === proposal.accountId &&
        leadingTo(proposal.status).includes(kept.status) &&
        (kept.signedBy === null || kept.signedBy === proposal.signedBy)
      if (!mayMove) throw new Error(`proposals: ${proposal.id} cannot move so`)
      proposals.revise(journal, proposal, changing)
    }
    return {
      propose: (proposal) => store.write((journal) => proposals.insert(journal, proposal)),
      find: (accountId, proposalId) =>
        store.read(() => {
          const proposal = proposals.get(proposalId)
          return proposal?.accountId === accountId ? proposal : undefined
        }),
      lock: (proposalId) => store.read(() => proposals.get(proposalId)),
      lockAll: (proposalIds) =>
        store.read(() => proposalIds.toSorted().flatMap((id) => proposals.get(id) ?? [])),
      list: (accountId, filter, request) =>
        store.read(() =>
          page(proposals.group("account", accountId), request, (row) => row, fits(filter))
        ),
      ofTransactions: (accountId, txHashes) =>
        store.read(() => {
          const asked: ReadonlySet<string> = new Set(txHashes)
          return proposals
            .group("account", accountId)
            .filter((each) => each.txHashes.some((txHash) => asked.has(txHash)))
        }),
      move: (moved) =>
        store.write((journal) => {
          for (const proposal of moved) move(journal, proposal)
        }),
      overdue: (now, limit) =>
        store.read(() => {
          const expiring = proposals.group("expiring", everywhere)
          const passed = DateTime.toEpochMillis(now)
          const count = countWhile(expiring, (proposal) => expiresAt(proposal) <= passed)
          return expiring.slice(0, Math.min(count, limit)).map(({ id }) => id)
        }),
      waitingOn: (accountId, recipientId) =>
        store.read(() =>
          proposals.group("waitingOn", keyIn(accountId, recipientId)).map(({ id }) => id)
        ),
      waitingToRefund: (accountId, sourceIds) =>
        store.read(() =>
          [...new Set(sourceIds)]
            .flatMap((id) => [...proposals.group("refunding", keyIn(accountId, id))])
            .toSorted(newestFirst)
            .toReversed()
            .map(({ id }) => id)
        ),
      countWaiting: (accountId, now, max) =>
        store.read(() => {
          const passed = DateTime.toEpochMillis(now)
          const waiting = proposals
            .group("waiting", accountId)
            .filter((proposal) => expiresAt(proposal) > passed)
          return Math.min(waiting.length, max)
        }),
      waitingBy: (accountId, keyIds) =>
        store.read(() =>
          proposals
            .group("waiting", accountId)
            .filter((each) => isBehind(each, keyIds))
            .map(({ id }) => id)
        )
    }
  })
)
