/** Reads of co-signing: the account's rules, its co-signers, and the invites it has sent and received. */
import { Effect, Schema } from "effect"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { Cosigners } from "./cosigner-store.ts"
import * as Invite from "./invite.ts"
import * as Rules from "./rules.ts"

export const getCosignerRules = Operation.make("get_cosigner_rules", {
  summary: "Reads the co-signer rules: how many co-signers must approve, by action and amount.",
  next: "update_cosigner_rules replaces them all; an amount below every band needs no approval.",
  scope: "cosigners:read",
  input: {},
  output: Rules.fields,
  handle: Effect.fnUntraced(function* () {
    const { accountId } = yield* Caller
    return Rules.view(yield* (yield* Cosigners).rules(accountId))
  })
})

export const listCosignerMemberships = Page.list("list_cosigner_memberships", {
  summary: "Lists the account's active co-signers.",
  next: "invite_cosigner invites another account; remove_cosigner ends a membership by its id.",
  scope: "cosigners:read",
  key: "cosigner_memberships",
  fields: Invite.membershipFields,
  page: ({ accountId, request }) => Cosigners.use(({ members }) => members(accountId, request)),
  view: Invite.viewMembership
})

export const listOutgoingCosignerInvites = Page.list("list_outgoing_cosigner_invites", {
  summary: "Lists the account's own open invites to co-sign, which the invited have not answered.",
  next: "revoke_cosigner_invite withdraws one by its inviteId.",
  scope: "cosigners:read",
  key: "outgoing_cosigner_invites",
  fields: { ...Invite.fields, nickname: Schema.NullOr(Schema.String) },
  page: ({ accountId, now, request }) =>
    Cosigners.use(({ outgoing }) => outgoing(accountId, now, request)),
  view: (invite, { now }) => Invite.view(invite, now)
})

export const listIncomingCosignerInvites = Page.list("list_incoming_cosigner_invites", {
  summary: "Lists the open invites of other accounts to co-sign for them.",
  next: "Call accept_cosigner_invite or decline_cosigner_invite with an inviteId.",
  scope: "cosigners:read",
  key: "incoming_cosigner_invites",
  fields: Invite.fields,
  page: ({ accountId, now, request }) =>
    Cosigners.use(({ incoming }) => incoming(accountId, now, request)),
  view: (invite, { now }) => Invite.view(invite, now)
})
