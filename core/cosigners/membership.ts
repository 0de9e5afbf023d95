/** Memberships: which accounts co-sign for which. Only an active one counts, at the moment it is counted. */
import { type DateTime, Effect, Schema } from "effect"
import * as Page from "../operation/page.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import * as Instant from "../time/timestamp.ts"
import { Cosigners } from "./cosigner-store.ts"

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

/** Refuses one more than there may be: asked when somebody is invited, and again when they join. */
export const hasRoom = Effect.fnUntraced(function* (ownerAccountId: string) {
  const { rows } = yield* (yield* Cosigners).members(ownerAccountId, { limit: maxMembers })
  if (rows.length < maxMembers) return
  return yield* new InvalidRequest({
    message: `An account has at most ${maxMembers} co-signers; one of them must be removed first.`
  })
})

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

export const listCosignerMemberships = Page.list("list_cosigner_memberships", {
  summary: "Lists the account's active co-signers.",
  next: "invite_cosigner asks another account; remove_cosigner ends a membership by its id.",
  scope: "cosigners:read",
  key: "cosigner_memberships",
  fields,
  page: ({ accountId, request }) => Cosigners.use(({ members }) => members(accountId, request)),
  view
})
