/**
 * The store of approvals in memory, which reads beside its own rows who co-signs for whom. A proposal has
 * one approval and a voter one vote on it; its requirement never falls.
 */
import { DateTime, Effect, Layer } from "effect"
import type { Approval, Vote } from "../../core/cosigners/approval.ts"
import { Approvals } from "../../core/cosigners/cosigner-store.ts"
import { newestFirst } from "../../core/operation/page.ts"
import { membershipDefinition } from "./cosigners.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Approval>()({
  name: "cosigner approvals",
  key: (approval) => approval.id,
  unique: { proposal: (approval) => approval.proposalId },
  sorted: {
    pending: {
      group: ({ accountId, status }) => (status === "pending" ? accountId : undefined),
      at: (approval) => DateTime.toEpochMillis(approval.createdAt)
    }
  }
})

interface Cast {
  readonly vote: Vote
  /** Counts up, so that votes of one instant keep their order. */
  readonly number: number
}

const voteKey = ({ approvalId, voterAccountId }: Pick<Vote, "approvalId" | "voterAccountId">) =>
  JSON.stringify([approvalId, voterAccountId])

const voteDefinition = define<Cast>()({
  name: "cosigner votes",
  key: ({ vote }) => voteKey(vote),
  sorted: { approval: { group: ({ vote }) => vote.approvalId, at: ({ number }) => number } }
})

export const layer: Layer.Layer<Approvals, never, MemoryStore> = Layer.effect(
  Approvals,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const approvals = store.table(definition)
    const cast = store.table(voteDefinition)
    const memberships = store.table(membershipDefinition)
    /** Pending approvals of all whom the account co-signs for, oldest first. */
    const pendingFor = (cosignerAccountId: string) =>
      memberships
        .group("cosigner", cosignerAccountId)
        .flatMap(({ ownerAccountId }) => approvals.group("pending", ownerAccountId))
        .sort((a, b) => newestFirst(b, a))
    return {
      open: (approval) => store.write((journal) => approvals.insert(journal, approval)),
      find: (approvalId) => store.read(() => approvals.get(approvalId)),
      ofProposal: (proposalId) => store.read(() => approvals.by("proposal", proposalId)),
      revise: ({ accountId, id, required, status }) =>
        store.write((journal) => {
          const kept = approvals.get(id)
          if (kept?.accountId !== accountId || kept.required > required) {
            throw new Error(`cosigner approvals: ${id} cannot be revised so`)
          }
          approvals.replace(journal, { ...kept, required, status })
        }),
      awaiting: (cosignerAccountId, now, request) =>
        store.read(() =>
          page(
            pendingFor(cosignerAccountId),
            request,
            (row) => row,
            ({ expiresAt, id }) =>
              DateTime.isGreaterThan(expiresAt, now) &&
              cast.get(voteKey({ approvalId: id, voterAccountId: cosignerAccountId })) === undefined
          )
        ),
      pendingOf: (ownerAccountId) =>
        store.read(() =>
          approvals
            .group("pending", ownerAccountId)
            .flatMap(({ proposalId, recipientId }) => (recipientId === null ? [proposalId] : []))
        ),
      vote: (vote) =>
        store.write((journal) => {
          const hasVoted = cast.get(voteKey(vote)) !== undefined
          if (!hasVoted) cast.insert(journal, { vote, number: store.next("cosigner votes") })
          return !hasVoted
        }),
      votes: (approvalId) =>
        store.read(() => cast.group("approval", approvalId).map(({ vote }) => vote)),
      voidVotes: (ownerAccountId, voterAccountId) =>
        store.write((journal) => {
          for (const { id } of approvals.group("pending", ownerAccountId)) {
            cast.delete(journal, voteKey({ approvalId: id, voterAccountId }))
          }
        })
    }
  })
)
