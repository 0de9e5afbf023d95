/** Invites to co-sign: asked of another account, which alone may accept; open for seven days. */
import { DateTime, Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import * as Page from "../operation/page.ts"
import { define, NotFound } from "../operation/refusal.ts"
import { statusAt } from "../time/expiry.ts"
import * as Instant from "../time/timestamp.ts"
import { Cosigners } from "./cosigner-store.ts"

export const Status = Schema.Literals(["pending", "accepted", "declined", "revoked", "expired"])
export type Status = typeof Status.Type

export const openDays = 7

export interface Invite {
  readonly id: string
  readonly ownerAccountId: string
  readonly cosignerAccountId: string
  /** What the owner calls the co-signer. */
  readonly nickname: string | null
  /** As stored: a pending one is expired by the passage of its time. */
  readonly status: Status
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export class InviteNotOpen extends define("INVITE_NOT_OPEN", {
  kind: "conflict",
  meaning: "The invite was answered, withdrawn or has run out; `details.status` says which."
}) {}

export const fields = {
  inviteId: Schema.String,
  userId: Schema.String,
  cosignerUserId: Schema.String,
  status: Status,
  createdAt: Instant.Shown,
  expiresAt: Instant.Shown
}

export const view = (invite: Invite, now: DateTime.Utc) => ({
  ...invite,
  inviteId: invite.id,
  userId: invite.ownerAccountId,
  cosignerUserId: invite.cosignerAccountId,
  status: statusAt(invite, now)
})

export const InviteId = Text.Line(64).annotate({ description: "The invite's id." })

/** The invite locked and still open, for whichever side it is a matter of. */
export const lockOpen = Effect.fnUntraced(function* (
  inviteId: string,
  side: "ownerAccountId" | "cosignerAccountId"
) {
  const { accountId } = yield* Caller
  const invite = yield* (yield* Cosigners).lockInvite(inviteId)
  if (invite?.[side] !== accountId) {
    return yield* new NotFound({
      param: "inviteId",
      message:
        "No invite of this id is yours to answer; list_incoming_cosigner_invites shows them.",
      next: { operation: "list_incoming_cosigner_invites", args: {} }
    })
  }
  const status = statusAt(invite, yield* DateTime.now)
  if (status === "pending") return invite
  return yield* new InviteNotOpen({
    param: "inviteId",
    message: `This invite is ${status}; ask for a new one.`,
    details: { status }
  })
})

export const listIncomingCosignerInvites = Page.list("list_incoming_cosigner_invites", {
  summary: "Lists the open invites of other accounts to co-sign for them.",
  next: "accept_cosigner_invite or decline_cosigner_invite with an inviteId.",
  scope: "cosigners:read",
  key: "incoming_cosigner_invites",
  fields,
  page: ({ accountId, now, request }) =>
    Cosigners.use(({ incoming }) => incoming(accountId, now, request)),
  view: (invite, { now }) => view(invite, now)
})
