/** Invites to co-sign: asked of another account, which alone may accept; open for seven days. */
import { type DateTime, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { define } from "../operation/refusal.ts"
import * as Instant from "../time/timestamp.ts"
import { effectiveStatus } from "../time/timestamp.ts"

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
  meaning:
    "The invite was already answered or withdrawn, or has expired; `details.status` says which."
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
  status: effectiveStatus(invite, now)
})

export const InviteId = Text.Line(64).annotate({ description: "The invite's id." })
