/** The ends of an invite: the invited account accepts or declines it, the inviting one withdraws it. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { effectiveStatus } from "../time/timestamp.ts"
import { Cosigners } from "./cosigner-store.ts"
import * as Invite from "./invite.ts"
import { InviteNotOpen } from "./invite.ts"
import * as Membership from "./invite-cosigner.ts"

/** Writes the end of an invite, and tells both accounts' logs. */
const ended = Effect.fnUntraced(function* (
  invite: Invite.Invite,
  status: "accepted" | "declined" | "revoked"
) {
  const { keyId } = yield* Caller
  const answered = { ...invite, status }
  yield* (yield* Cosigners).answerInvite(answered)
  for (const accountId of [invite.ownerAccountId, invite.cosignerAccountId]) {
    yield* record({
      accountId,
      actor: keyId,
      role: status === "revoked" ? undefined : "cosigner",
      action: `cosigner_invite.${status}`,
      subjectType: "cosigner_invite",
      subjectId: invite.id
    })
  }
  return Invite.view(answered, yield* DateTime.now)
})

const common = {
  scope: "cosigners:write",
  sideEffect: "write",
  authority: byScope,
  input: { inviteId: Invite.InviteId },
  output: Invite.fields,
  refusals: [NotFound, Invite.InviteNotOpen],
  example: { input: { inviteId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } }
} as const

export const acceptCosignerInvite = Operation.make("accept_cosigner_invite", {
  ...common,
  summary: "Accepts an invite; this account becomes a co-signer of the inviting account.",
  next: "list_pending_cosigner_approvals shows the actions to vote on.",
  handle: Effect.fnUntraced(function* ({ inviteId }) {
    const cosigners = yield* Cosigners
    const invite = yield* lockOpen(inviteId, "cosignerAccountId")
    const { ownerAccountId, cosignerAccountId, nickname } = invite
    yield* cosigners.lock(ownerAccountId)
    yield* Membership.hasRoom(ownerAccountId)
    const createdAt = yield* DateTime.now
    const membership = {
      id: yield* (yield* Ids).uuid,
      ownerAccountId,
      cosignerAccountId,
      nickname,
      inviteId: invite.id,
      createdAt,
      removedAt: null
    }
    // Joined already by an earlier invite: the answer stands, and there is nothing more to do.
    yield* cosigners.join(membership)
    return yield* ended(invite, "accepted")
  })
})

export const declineCosignerInvite = Operation.make("decline_cosigner_invite", {
  ...common,
  summary: "Declines an invite to co-sign.",
  next: "No next step; the inviting account can invite again.",
  handle: ({ inviteId }) =>
    Effect.flatMap(lockOpen(inviteId, "cosignerAccountId"), (invite) => ended(invite, "declined"))
})

export const revokeCosignerInvite = Operation.make("revoke_cosigner_invite", {
  ...common,
  summary: "Withdraws an open invite.",
  next: "invite_cosigner invites again.",
  handle: ({ inviteId }) =>
    Effect.flatMap(lockOpen(inviteId, "ownerAccountId"), (invite) => ended(invite, "revoked"))
})

const missing = {
  ownerAccountId: {
    param: "inviteId",
    what: "invite",
    operation: "list_outgoing_cosigner_invites"
  },
  cosignerAccountId: {
    param: "inviteId",
    what: "invite",
    operation: "list_incoming_cosigner_invites"
  }
} as const

/** The invite locked and still open, for whichever side it is a matter of. */
export const lockOpen = Effect.fnUntraced(function* (
  inviteId: string,
  side: "ownerAccountId" | "cosignerAccountId"
) {
  const { accountId } = yield* Caller
  const invite = yield* (yield* Cosigners).lockInvite(inviteId)
  if (invite?.[side] !== accountId) return yield* noSuch(missing[side])
  const status = effectiveStatus(invite, yield* DateTime.now)
  if (status === "pending") return invite
  return yield* new InviteNotOpen({
    param: "inviteId",
    message: `This invite is ${status}; request a new one.`,
    details: { status }
  })
})
