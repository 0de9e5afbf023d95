/** What becomes of a refund that waits while its money comes to count for something else. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isSame } from "../../../core/payments/refundable.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { refused, sharesOf } from "../../support/refund-checks.ts"
import { aMerchant } from "../../support/refunding-merchant.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

it("counts for the same only when request, its status and resolution are the same", () => {
  const counted = {
    paymentRequestId: "one",
    paymentRequestStatus: "expired",
    resolution: "attached"
  } as const
  assert.isTrue(isSame(counted, { ...counted }))
  assert.isFalse(isSame(counted, { ...counted, paymentRequestId: "other" }))
  assert.isFalse(isSame(counted, { ...counted, paymentRequestStatus: "paid" }))
  assert.isFalse(isSame(counted, { ...counted, resolution: "accepted" }))
  assert.isFalse(isSame(counted, undefined))
  assert.isFalse(isSame(undefined, counted))
  assert.isFalse(isSame(undefined, undefined))
})

layer(memoryTreasury)("A refund that waits", (it) => {
  const waiting = Effect.gen(function* () {
    const world = yield* aMerchant
    const { call, came, recipientId, vault } = world
    const { id: depositId } = yield* came()
    const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
    const confirm = call.confirm_proposal({ proposalId })
    const statusNow = Effect.map(call.get_proposal({ proposalId }), ({ status }) => status)
    const request = (amountUsd: number) =>
      call.create_payment_request({ walletMappingId: vault.id, amountUsd })
    return { ...world, confirm, depositId, proposalId, request, statusNow }
  })

  it.effect("is superseded when its deposit is attached and pays a request", () =>
    Effect.gen(function* () {
      const { call, confirm, depositId, proposalId, request, statusNow } = yield* waiting
      const { pid } = yield* request(10)
      const paid = yield* call.resolve_deposit({ depositId, action: "attach", pid })
      assert.strictEqual(paid.paymentRequestStatus, "paid")
      assert.strictEqual(yield* statusNow, "superseded")
      const { statusReason } = yield* call.get_proposal({ proposalId })
      assert.include(statusReason ?? "", "resolved differently")
      assert.strictEqual((yield* refused(confirm))._tag, "PROPOSAL_NOT_CONFIRMABLE")
      assert.lengthOf(yield* sharesOf(depositId), 0)
    })
  )

  it.effect("is superseded when its deposit is attached to a request that takes more", () =>
    Effect.gen(function* () {
      const { call, depositId, request, statusNow } = yield* waiting
      const { pid } = yield* request(11)
      yield* call.resolve_deposit({ depositId, action: "attach", pid })
      assert.strictEqual(yield* statusNow, "superseded")
    })
  )

  it.effect("is superseded when its deposit is accepted for nothing, or ignored", () =>
    Effect.gen(function* () {
      for (const action of ["accept", "ignore"] as const) {
        const { call, depositId, recipientId, statusNow } = yield* waiting
        yield* call.resolve_deposit({ depositId, action })
        assert.strictEqual(yield* statusNow, "superseded")
        // What counts for nothing may still go back, once somebody decides so anew.
        const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
        const { status } = yield* call.confirm_proposal({ proposalId })
        assert.strictEqual(status, "executing")
      }
    })
  )

  it.effect("goes on while other money is resolved, and while its resolution is refused", () =>
    Effect.gen(function* () {
      const { call, came, confirm, depositId, request, statusNow } = yield* waiting
      const { id: other } = yield* came()
      const { pid } = yield* request(10)
      yield* call.resolve_deposit({ depositId: other, action: "attach", pid })
      const unknown = call.resolve_deposit({ depositId, action: "attach", pid: Rows.aPid() })
      assert.strictEqual((yield* refused(unknown))._tag, "NOT_FOUND")
      assert.strictEqual(yield* statusNow, "pending_confirm")
      assert.strictEqual((yield* confirm).status, "executing")
    })
  )

  it.effect("is superseded when the expired request that its money counts for becomes paid", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const over = { status: "expired", amountMicro: 20_000_000n } as const
      const request = yield* Stored.paymentRequest(vault, over)
      const late = { settlementIssue: "late", candidatePids: [request.pid] } as const
      const [one, two] = [yield* came(late), yield* came(late)]
      yield* call.resolve_deposit({ depositId: one.id, action: "accept" })
      const byDeposit = yield* call.propose_refund({ depositId: one.id, recipientId })
      const byRequest = yield* call.propose_refund({ paymentRequestId: request.pid, recipientId })
      const { paymentRequestStatus } = yield* call.resolve_deposit({
        depositId: two.id,
        action: "accept"
      })
      assert.strictEqual(paymentRequestStatus, "paid")
      for (const { proposalId } of [byDeposit, byRequest]) {
        assert.strictEqual((yield* call.get_proposal({ proposalId })).status, "superseded")
      }
      // The paid request is the merchant's to refund, by a decision that knows of it.
      const anew = yield* call.propose_refund({ paymentRequestId: request.pid, recipientId })
      const { status } = yield* call.confirm_proposal({ proposalId: anew.proposalId })
      assert.strictEqual(status, "executing")
    })
  )

  it.effect(
    "is refused when it was proposed before refunds were bound to what money counts for",
    () =>
      Effect.gen(function* () {
        const { accountId, call, proposalId } = yield* waiting
        const proposal = (yield* (yield* Proposals).find(accountId, proposalId)) as Proposal
        const { countedFor: _, ...terms } = proposal.terms
        const old = yield* Stored.proposal({ ...proposal, id: Rows.anId(), terms })
        const refusal = yield* refused(call.confirm_proposal({ proposalId: old.id }))
        assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
        assert.include(refusal.message, "propose the refund again")
      })
  )
})
