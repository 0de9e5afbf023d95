/** The ends of an invite: the invited account accepts or declines it, the inviting one withdraws it. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { Cosigners } from "./cosigner-store.ts"
import * as Invite from "./invite.ts"
import * as Membership from "./membership.ts"

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
      action: `cosigner_invite.${status}`,
      subjectType: "cosigner_invite",
      subjectId: invite.id
    })
  }
  return Invite.view(answered, yield* DateTime.now)
})

const common = {
  scope: "cosigners:write",
  nature: "write",
  authority: byScope,
  input: { inviteId: Invite.InviteId },
  output: Invite.fields,
  refusals: [NotFound, Invite.InviteNotOpen],
  example: { input: { inviteId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } }
} as const

export const acceptCosignerInvite = Operation.make("accept_cosigner_invite", {
  ...common,
  summary: "Accepts an invite: from now on this account's votes count for the inviting one.",
  next: "list_pending_cosigner_approvals shows what waits for a vote.",
  handle: Effect.fnUntraced(function* ({ inviteId }) {
    const cosigners = yield* Cosigners
    const invite = yield* Invite.lockOpen(inviteId, "cosignerAccountId")
    const { ownerAccountId, cosignerAccountId, nickname } = invite
    yield* cosigners.convene(ownerAccountId)
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
  next: "Nothing; the inviting account may invite again.",
  handle: ({ inviteId }) =>
    Effect.flatMap(Invite.lockOpen(inviteId, "cosignerAccountId"), (invite) =>
      ended(invite, "declined")
    )
})

export const revokeCosignerInvite = Operation.make("revoke_cosigner_invite", {
  ...common,
  summary: "Withdraws an invite before it is answered.",
  next: "invite_cosigner asks again.",
  handle: ({ inviteId }) =>
    Effect.flatMap(Invite.lockOpen(inviteId, "ownerAccountId"), (invite) =>
      ended(invite, "revoked")
    )
})
