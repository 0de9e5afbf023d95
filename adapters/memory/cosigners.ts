/**
 * The store of co-signers in memory. A transaction has the store to itself, so what it reads stands still
 * and what it reads is locked.
 */
import { DateTime, Effect, Layer } from "effect"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Invite, Membership } from "../../core/cosigners/invite.ts"
import type { Revision } from "../../core/cosigners/rules.ts"
import type * as Page from "../../core/operation/page.ts"
import { effectiveStatus } from "../../core/time/timestamp.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

type Pair = Pick<Invite, "ownerAccountId" | "cosignerAccountId">

const pairKey = ({ cosignerAccountId, ownerAccountId }: Pair) =>
  JSON.stringify([ownerAccountId, cosignerAccountId])

const refuseSelf = ({ cosignerAccountId, ownerAccountId }: Pair) => {
  if (cosignerAccountId === ownerAccountId)
    throw new Error("cosigners: of one account there is none")
}

const createdAt = (row: Invite | Membership) => DateTime.toEpochMillis(row.createdAt)

const inviteDefinition = define<Invite>()({
  name: "cosigner invites",
  key: (invite) => invite.id,
  unique: { pending: (invite) => (invite.status === "pending" ? pairKey(invite) : undefined) },
  sorted: {
    incoming: {
      group: (invite) => (invite.status === "pending" ? invite.cosignerAccountId : undefined),
      at: createdAt
    },
    outgoing: {
      group: (invite) => (invite.status === "pending" ? invite.ownerAccountId : undefined),
      at: createdAt
    }
  }
})

export const membershipDefinition = define<Membership>()({
  name: "cosigner memberships",
  key: (membership) => membership.id,
  unique: {
    active: (membership) => (membership.removedAt === null ? pairKey(membership) : undefined)
  },
  sorted: {
    owner: {
      group: ({ ownerAccountId, removedAt }) => (removedAt === null ? ownerAccountId : undefined),
      at: createdAt
    },
    cosigner: {
      group: ({ cosignerAccountId, removedAt }) =>
        removedAt === null ? cosignerAccountId : undefined,
      at: createdAt
    }
  }
})

const revisionKey = ({ accountId, number }: Pick<Revision, "accountId" | "number">) =>
  JSON.stringify([accountId, number])

const revisionDefinition = define<Revision>()({
  name: "cosigner rules",
  key: revisionKey,
  sorted: { account: { group: ({ accountId }) => accountId, at: ({ number }) => number } }
})

export const layer: Layer.Layer<Cosigners, never, MemoryStore> = Layer.effect(
  Cosigners,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const invites = store.table(inviteDefinition)
    const memberships = store.table(membershipDefinition)
    const revisions = store.table(revisionDefinition)
    const isJoined = (pair: Pair) => memberships.by("active", pairKey(pair)) !== undefined
    const open = (
      of: "incoming" | "outgoing",
      accountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) =>
      store.read(() =>
        page(
          invites.group(of, accountId),
          request,
          (row) => row,
          (invite) => effectiveStatus(invite, now) === "pending"
        )
      )
    const rules = (accountId: string) =>
      store.read(() => revisions.group("account", accountId).at(-1))
    return {
      invite: (invite) =>
        store.write((journal) => {
          refuseSelf(invite)
          const before = invites.by("pending", pairKey(invite))
          if (before !== undefined && effectiveStatus(before, invite.createdAt) === "expired") {
            invites.replace(journal, { ...before, status: "expired" })
          }
          const isTaken = invites.by("pending", pairKey(invite)) !== undefined || isJoined(invite)
          if (!isTaken) invites.insert(journal, invite)
          return !isTaken
        }),
      lockInvite: (inviteId) => store.read(() => invites.get(inviteId)),
      answerInvite: (invite) =>
        store.write((journal) => {
          const kept = invites.get(invite.id)
          const isOpen = kept?.status === "pending" && pairKey(kept) === pairKey(invite)
          if (!isOpen) throw new Error(`cosigner invites: ${invite.id} is not open`)
          invites.replace(journal, { ...kept, status: invite.status })
        }),
      incoming: (accountId, now, request) => open("incoming", accountId, now, request),
      outgoing: (accountId, now, request) => open("outgoing", accountId, now, request),
      join: (membership) =>
        store.write((journal) => {
          refuseSelf(membership)
          const isTaken = isJoined(membership)
          if (!isTaken) memberships.insert(journal, membership)
          return !isTaken
        }),
      leave: (ownerAccountId, membershipId, at) =>
        store.write((journal) => {
          const kept = memberships.get(membershipId)
          const isActive = kept?.ownerAccountId === ownerAccountId && kept.removedAt === null
          if (isActive) memberships.replace(journal, { ...kept, removedAt: at })
          return isActive
        }),
      members: (ownerAccountId, request) =>
        store.read(() => page(memberships.group("owner", ownerAccountId), request, (row) => row)),
      cosigns: (cosignerAccountId, ownerAccountId) =>
        store.read(() => isJoined({ cosignerAccountId, ownerAccountId })),
      lockShared: rules,
      lock: rules,
      rules,
      revise: (revision) =>
        store.write((journal) => {
          const isTaken = revisions.get(revisionKey(revision)) !== undefined
          if (!isTaken) revisions.insert(journal, revision)
          return !isTaken
        })
    }
  })
)
