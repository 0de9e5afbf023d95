/**
 * The ledger of refunds in memory. A claim is judged and written in one step, so nobody is judged by what
 * another is about to claim.
 */
import { DateTime, Effect, Layer } from "effect"
import {
  allot,
  leftOfAll,
  type Outcome,
  Refunds,
  type Share
} from "../../core/payments/refund-ledger.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"
import { definition as transferDefinition } from "./transfers.ts"

const at = (share: Share) => DateTime.toEpochMillis(share.at)

const definition = define<Share>()({
  name: "refund shares",
  key: ({ proposalId, transferId }) => JSON.stringify([proposalId, transferId]),
  sorted: {
    proposal: { group: ({ proposalId }) => proposalId, at },
    transfer: {
      group: ({ state, transferId }) => (state === "released" ? undefined : transferId),
      at
    }
  }
})

export const layer: Layer.Layer<Refunds, never, MemoryStore> = Layer.effect(
  Refunds,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const shares = store.table(definition)
    const transfers = store.table(transferDefinition)
    const ofTransfers = (transferIds: ReadonlyArray<string>) =>
      transferIds.flatMap((id) => shares.group("transfer", id))
    const end = (proposalId: string, state: "refunded" | "released") =>
      store.write((journal) => {
        for (const share of [...shares.group("proposal", proposalId)]) {
          if (share.state === "claimed") shares.replace(journal, { ...share, state })
        }
      })
    return {
      claim: (claim) =>
        store.write((journal): Outcome => {
          const { accountId, proposalId } = claim
          if (claim.amountMicro <= 0n) throw new Error("refund shares: an amount is above zero")
          const own = [...shares.group("proposal", proposalId)]
          if (own.some(({ state }) => state !== "released")) return { _tag: "claimed" }
          const found = claim.transferIds
            .map((id) => transfers.get(id))
            .filter((each) => each !== undefined)
            .filter((each) => each.accountId === accountId && each.state === "final")
          const standing = ofTransfers(found.map(({ id }) => id))
          const parts = allot(found, standing, claim.amountMicro)
          if (parts === undefined) return { _tag: "over", leftMicro: leftOfAll(found, standing) }
          for (const { transferId } of own) {
            shares.delete(journal, JSON.stringify([proposalId, transferId]))
          }
          for (const part of parts) {
            shares.insert(journal, { ...part, proposalId, state: "claimed", at: claim.at })
          }
          return { _tag: "claimed" }
        }),
      complete: (proposalId) => end(proposalId, "refunded"),
      release: (proposalId) => end(proposalId, "released"),
      ofProposal: (proposalId) => store.read(() => [...shares.group("proposal", proposalId)]),
      ofTransfers: (transferIds) => store.read(() => ofTransfers(transferIds))
    }
  })
)
