/**
 * Asks another account to co-sign. With an agent's key the funding wallet signs for it; a human's key
 * leaves a request that waits for a passkey.
 */
import { DateTime, Effect, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { record } from "../audit/record.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import { requestGovernance } from "../governance/waiting.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { SelfApprovalForbidden, sharesWallet } from "./approval.ts"
import { Cosigners } from "./cosigner-store.ts"
import { type Invite, maxMembers, openDays } from "./invite.ts"

/** The account to invite, which must be another one in deed. */
const invitable = Effect.fnUntraced(function* (ownerAccountId: string, cosignerAccountId: string) {
  const accounts = yield* Accounts
  const owner = yield* accounts.find(ownerAccountId)
  const cosigner = yield* accounts.find(cosignerAccountId)
  if (owner === undefined || cosigner === undefined) {
    return yield* new NotFound({
      param: "cosignerUserId",
      message:
        "There is no account with this id; ask the co-signer for their id, which get_account shows."
    })
  }
  if (owner.id === cosigner.id || sharesWallet(owner, cosigner)) {
    return yield* new SelfApprovalForbidden({
      param: "cosignerUserId",
      message: "This account is your own, or has the same funding wallet; invite another one."
    })
  }
  yield* hasRoom(ownerAccountId)
})

/** Stores the invite, in the running transaction. */
export const sendInvite = Effect.fnUntraced(function* (
  wanted: Pick<Invite, "ownerAccountId" | "cosignerAccountId" | "nickname">,
  actor: string
) {
  yield* invitable(wanted.ownerAccountId, wanted.cosignerAccountId)
  const createdAt = yield* DateTime.now
  const invite: Invite = {
    ...wanted,
    id: yield* (yield* Ids).uuid,
    status: "pending",
    createdAt,
    expiresAt: DateTime.add(createdAt, { days: openDays })
  }
  if (!(yield* (yield* Cosigners).invite(invite))) {
    return yield* new InvalidRequest({
      param: "cosignerUserId",
      message: "This account is already a co-signer, or already has an open invite.",
      next: { operation: "list_cosigner_memberships", args: {} }
    })
  }
  yield* record({
    accountId: invite.ownerAccountId,
    actor,
    action: "cosigner.invited",
    subjectType: "cosigner_invite",
    subjectId: invite.id,
    facts: { cosignerUserId: invite.cosignerAccountId }
  })
  return invite
})

export const inviteCosigner = Operation.prepared("invite_cosigner", {
  summary:
    "Invites another account to co-sign. With an agent's key the first call returns a challenge; with a person's key it waits for their passkey.",
  next: "The invited account calls accept_cosigner_invite; then set with update_cosigner_rules which amounts need votes.",
  scope: "cosigners:write",
  role: "owner",
  sideEffect: "write",
  authority: Prove.requireOwn,
  input: {
    cosignerUserId: Id("The id of the account to invite."),
    nickname: Schema.optionalKey(Text.Nickname),
    ...Challenge.input
  },
  output: Challenge.orChallenge({
    acknowledged: Schema.Boolean,
    inviteId: Schema.NullOr(Schema.String),
    governanceRequestId: Schema.NullOr(Schema.String)
  }),
  refusals: [NotFound, SelfApprovalForbidden, ...Prove.refusals],
  example: { input: { cosignerUserId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  prepare: ({ cosignerUserId, nickname, ...given }) =>
    Prove.prove("invite_cosigner", { cosignerUserId, nickname: nickname ?? null }, given),
  handle: Effect.fnUntraced(function* ({ cosignerUserId, nickname = null }, proof) {
    const { accountId, keyId, kind } = yield* Caller
    const wanted = { ownerAccountId: accountId, cosignerAccountId: cosignerUserId, nickname }
    if (proof._tag === "signed") {
      yield* Prove.use(proof.challenge)
      const { id } = yield* sendInvite(wanted, keyId)
      return { acknowledged: true, inviteId: id, governanceRequestId: null }
    }
    yield* invitable(accountId, cosignerUserId)
    if (kind !== "agent") {
      const request = yield* requestGovernance({
        action: "invite_cosigner",
        payload: { cosignerUserId, nickname },
        payloadHash: proof.payloadHash,
        summary: `Invite account ${cosignerUserId} to co-sign`
      })
      return { acknowledged: true, inviteId: null, governanceRequestId: request.id }
    }
    const statement = `Let account ${cosignerUserId} co-sign for account ${accountId}.`
    const issued = yield* Prove.challenge("invite_cosigner", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})

/** Refuses one more than there may be: asked when somebody is invited, and again when they join. */
export const hasRoom = Effect.fnUntraced(function* (ownerAccountId: string) {
  const { rows } = yield* (yield* Cosigners).members(ownerAccountId, { limit: maxMembers })
  if (rows.length < maxMembers) return
  return yield* new InvalidRequest({
    message: `An account can have at most ${maxMembers} co-signers; remove one first.`
  })
})
