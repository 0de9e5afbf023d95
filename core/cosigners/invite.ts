/**
 * Invites to co-sign, asked of another account, which alone may accept, and open for seven days; and the memberships
 * they become. Only an active membership counts, at the moment it is counted.
 */
import { type DateTime, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import { define } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
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
  createdAt: Timestamp.Encoded,
  expiresAt: Timestamp.Encoded
}

export const view = (invite: Invite, now: DateTime.Utc) => ({
  ...invite,
  inviteId: invite.id,
  userId: invite.ownerAccountId,
  cosignerUserId: invite.cosignerAccountId,
  status: effectiveStatus(invite, now)
})

export const InviteId = Id("The invite's id.")

/** Co-signers one account may have. */
export const maxMembers = 20

export interface Membership {
  readonly id: string
  /** Whose actions are co-signed. */
  readonly ownerAccountId: string
  readonly cosignerAccountId: string
  readonly nickname: string | null
  readonly inviteId: string
  readonly createdAt: DateTime.Utc
  readonly removedAt: DateTime.Utc | null
}

export const membershipFields = {
  id: Schema.String,
  cosignerUserId: Schema.String,
  nickname: Schema.NullOr(Schema.String),
  status: Schema.Literals(["active"]),
  createdAt: Timestamp.Encoded
}

export const viewMembership = (membership: Membership) => ({
  ...membership,
  cosignerUserId: membership.cosignerAccountId,
  status: "active" as const
})
