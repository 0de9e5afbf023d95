/** An account has at most twenty co-signers, however many it has invited: one more could be neither counted nor removed. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import { sendInvite } from "../../../core/cosigners/invite-cosigner.ts"
import { maxMembers } from "../../../core/cosigners/membership.ts"
import { Scope } from "../../../core/operation/caller.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Rows from "../../support/rows.ts"

const treasury = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
)

const account = Effect.map(
  openAccount({ name: "Somebody", kind: "developer", tier: "startup" }),
  ({ id }) => {
    const caller = { accountId: id, keyId: Rows.anId(), kind: "developer" as const }
    return { id, call: callsOf({ ...caller, scopes: new Set(Scope.literals) }) }
  }
)

it.effect("of more than twenty who were invited in time, twenty join", () =>
  Effect.gen(function* () {
    const owner = yield* account
    const invited = yield* Effect.forEach(Array.from({ length: maxMembers + 2 }), () =>
      Effect.gen(function* () {
        const { id, call } = yield* account
        const wanted = { ownerAccountId: owner.id, cosignerAccountId: id, nickname: null }
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
  }).pipe(Effect.provide(treasury))
)
