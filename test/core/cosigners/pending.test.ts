/** What waits for a vote comes ten at a time unless asked otherwise, none twice and none left out. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Cosigners } from "../../../core/cosigners/cosigner-store.ts"
import { Scope } from "../../../core/operation/caller.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** Eleven approvals of one owner, and the calls of who co-signs. */
const eleven = Effect.gen(function* () {
  const [owner, voter] = [yield* Stored.account(), yield* Stored.account()]
  yield* Stored.member(owner.id, { cosignerAccountId: voter.id })
  const createdAt = yield* DateTime.now
  const expiresAt = DateTime.add(createdAt, { days: 7 })
  const planted = yield* Effect.forEach(Array.from({ length: 11 }), () =>
    Stored.approval({ accountId: owner.id, recipientId: Rows.anId(), createdAt, expiresAt })
  )
  const scopes = new Set(Scope.literals)
  const call = callsOf({ accountId: voter.id, keyId: Rows.anId(), kind: "developer", scopes })
  return { call, planted }
})

it.effect("of eleven the first page has ten", () =>
  Effect.gen(function* () {
    const { call, planted } = yield* eleven
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

it.effect("a page reads an owner's co-signers once, however many of its approvals wait", () =>
  Effect.gen(function* () {
    const { call } = yield* eleven
    const cosigners = yield* Cosigners
    let reads = 0
    const counting: typeof cosigners = {
      ...cosigners,
      members: (...asked) =>
        Effect.suspend(() => {
          reads++
          return cosigners.members(...asked)
        })
    }
    const listed = yield* Effect.provideService(
      call.list_pending_cosigner_approvals({ limit: 11 }),
      Cosigners,
      counting
    )
    assert.lengthOf(listed.pending_cosigner_approvals, 11)
    assert.strictEqual(reads, 1)
  }).pipe(Effect.provide(memoryTreasury))
)
