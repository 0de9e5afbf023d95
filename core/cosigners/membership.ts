/** Memberships: which accounts co-sign for which. Only an active one counts, at the moment it is counted. */
import { type DateTime, Schema } from "effect"
import * as Instant from "../time/timestamp.ts"

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

export const fields = {
  id: Schema.String,
  cosignerUserId: Schema.String,
  nickname: Schema.NullOr(Schema.String),
  status: Schema.Literals(["active"]),
  createdAt: Instant.Shown
}

export const view = (membership: Membership) => ({
  ...membership,
  cosignerUserId: membership.cosignerAccountId,
  status: "active" as const
})
