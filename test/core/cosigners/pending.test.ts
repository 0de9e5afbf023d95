/** What waits for a vote comes ten at a time unless asked otherwise, none twice and none left out. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Scope } from "../../../core/operation/caller.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

it.effect("of eleven the first page has ten", () =>
  Effect.gen(function* () {
    const [owner, voter] = [yield* Stored.account(), yield* Stored.account()]
    yield* Stored.member(owner.id, { cosignerAccountId: voter.id })
    const createdAt = yield* DateTime.now
    const expiresAt = DateTime.add(createdAt, { days: 7 })
    const planted = yield* Effect.forEach(Array.from({ length: 11 }), () =>
      Stored.approval({ accountId: owner.id, recipientId: Rows.anId(), createdAt, expiresAt })
    )
    const scopes = new Set(Scope.literals)
    const call = callsOf({ accountId: voter.id, keyId: Rows.anId(), kind: "developer", scopes })
    const first = yield* call.list_pending_cosigner_approvals({})
    assert.lengthOf(first.pending_cosigner_approvals, 10)
    assert.isTrue(first.hasMore)
    for (const each of first.pending_cosigner_approvals) {
      assert.deepInclude(each, { kind: "approve_recipient", onChainMemo: "30271844" })
    }
    const cursor = first.nextCursor ?? ""
    const rest = yield* call.list_pending_cosigner_approvals({ cursor })
    assert.isFalse(rest.hasMore)
    const seen = [...first.pending_cosigner_approvals, ...rest.pending_cosigner_approvals]
    assert.sameMembers(
      seen.map(({ pendingApprovalId }) => pendingApprovalId),
      planted.map(({ id }) => id)
    )
  }).pipe(Effect.provide(memoryTreasury))
)
