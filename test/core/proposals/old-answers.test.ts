/** A call that led to money is answered again however late, though little is kept of its answer: nothing is paid twice. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { cleanup } from "../../../core/treasury/cleanup.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { owner } from "../../support/full-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

it.effect(
  "a proposal asked for again after a month is the first one, told as it stands by then",
  () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42", TestClock.adjust("1 second"))
      const call = callsOf({ ...own.caller, kind: "agent" })
      const send = { recipientId: own.recipientId, amountUsdc: "12.50", fromWalletId: own.walletId }
      const propose = call.propose_transfer(send, { idempotencyKey: "order-7" })
      const first = yield* propose
      const { proposalId } = first
      const confirm = call.confirm_proposal({ proposalId }, { idempotencyKey: "order-7" })
      yield* confirm
      yield* TestClock.adjust("31 days")
      yield* cleanup
      const slot = { accountId: own.caller.accountId, key: "order-7" }
      const idempotency = yield* Idempotency
      for (const operation of ["propose_transfer", "confirm_proposal"]) {
        assert.isTrue(yield* idempotency.isTaken({ ...slot, operation }))
      }
      const again = yield* propose
      assert.deepStrictEqual(Object.keys(again).sort(), Object.keys(first).sort())
      assert.strictEqual(again.proposalId, proposalId)
      assert.strictEqual(again.status, "executing")
      assert.deepInclude(again, { intentHash: first.intentHash, summary: first.summary })
      assert.strictEqual((yield* confirm).status, "executing")
      const { rows } = yield* (yield* Proposals).list(
        own.caller.accountId,
        { kind: "send" },
        { limit: 5 }
      )
      assert.lengthOf(rows, 1)
      const other = call.propose_transfer(
        { ...send, amountUsdc: "13" },
        { idempotencyKey: "order-7" }
      )
      assert.strictEqual((yield* Effect.flip(other))._tag, "IDEMPOTENCY_KEY_REUSED")
    }).pipe(Effect.provide(memoryTreasury))
)
