/** An account has at most twenty co-signers, however many it has invited: one more could be neither counted nor removed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { maxMembers } from "../../../core/cosigners/invite.ts"
import { sendInvite } from "../../../core/cosigners/invite-cosigner.ts"
import * as Accounts from "../../support/accounts.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

it.effect("of more than twenty who were invited in time, twenty join", () =>
  Effect.gen(function* () {
    const owner = yield* Accounts.opened()
    const invited = yield* Effect.forEach(Array.from({ length: maxMembers + 2 }), () =>
      Effect.gen(function* () {
        const { accountId: id, call } = yield* Accounts.opened()
        const wanted = { ownerAccountId: owner.accountId, cosignerAccountId: id, nickname: null }
        return { call, inviteId: (yield* sendInvite(wanted, "test")).id }
      })
    )
    const answers = yield* Effect.forEach(invited, ({ call, inviteId }) =>
      Effect.match(call.accept_cosigner_invite({ inviteId }), {
        onFailure: ({ _tag }) => _tag as string,
        onSuccess: ({ status }) => status
      })
    )
    const full = ["INVALID_REQUEST", "INVALID_REQUEST"]
    assert.deepStrictEqual(answers, [...Array(maxMembers).fill("accepted"), ...full])
    const { cosigner_memberships, hasMore } = yield* owner.call.list_cosigner_memberships({
      limit: maxMembers
    })
    assert.lengthOf(cosigner_memberships, maxMembers)
    assert.isFalse(hasMore)
    const last = invited.at(-1)
    const { incoming_cosigner_invites: open } = yield* (
      last as (typeof invited)[number]
    ).call.list_incoming_cosigner_invites({})
    assert.strictEqual(open[0]?.inviteId, last?.inviteId)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("who accepts an invite acts as co-signer in both logs, who revokes one as owner", () =>
  Effect.gen(function* () {
    const owner = yield* Accounts.opened()
    const other = yield* Accounts.opened()
    const wanted = {
      ownerAccountId: owner.accountId,
      cosignerAccountId: other.accountId,
      nickname: null
    }
    const { id: revoked } = yield* sendInvite(wanted, "test")
    yield* owner.call.revoke_cosigner_invite({ inviteId: revoked })
    const { id: accepted } = yield* sendInvite(wanted, "test")
    yield* other.call.accept_cosigner_invite({ inviteId: accepted })
    for (const { call } of [owner, other]) {
      const { entries } = yield* call.list_audit_log({ limit: 50 })
      const roleIn = (action: string) => entries.find((entry) => entry.action === action)?.actorRole
      assert.strictEqual(roleIn("cosigner_invite.revoked"), "owner")
      assert.strictEqual(roleIn("cosigner_invite.accepted"), "cosigner")
    }
  }).pipe(Effect.provide(memoryTreasury))
)
