/** Which money a refund may name, and which waiting refunds a change of that money ends. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Address } from "../../../core/chains/address.ts"
import { from, supersedeRefunds } from "../../../core/payments/refundable.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { move } from "../../../core/proposals/move.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { refused } from "../../support/refund-checks.ts"
import { aMerchant } from "../../support/refunding-merchant.ts"
import * as Rows from "../../support/rows.ts"

it("what came from an address is told apart from what came from others, each once", () => {
  const vault = Rows.aVault("account")
  const [theirs, other] = [Rows.aTransfer(vault), Rows.aTransfer(vault)]
  const payer = Address.make(theirs.payerAddress)
  assert.deepStrictEqual(from([other, theirs], payer), { theirs: [theirs], others: [other] })
})

layer(memoryTreasury)("A refund", (it) => {
  it.effect("names a deposit or a payment request, and not both", () =>
    Effect.gen(function* () {
      const { call, recipientId } = yield* aMerchant
      const none = yield* refused(call.propose_refund({ recipientId }))
      const both = yield* refused(
        call.propose_refund({ depositId: "one", paymentRequestId: "other", recipientId })
      )
      const expected = {
        _tag: "INVALID_REQUEST",
        message: "Send either a depositId or a paymentRequestId."
      }
      assert.deepInclude(none, { ...expected, param: "depositId" })
      assert.deepInclude(both, { ...expected, param: "paymentRequestId" })
    })
  )

  it.effect("of money that the account does not have says where to look", () =>
    Effect.gen(function* () {
      const { call, recipientId } = yield* aMerchant
      const other = yield* aMerchant
      const { id: theirs } = yield* other.came()
      const deposit = {
        _tag: "NOT_FOUND",
        param: "depositId",
        message: "This account has no deposit with this id; see list_deposits.",
        next: { operation: "list_deposits", args: {} }
      }
      for (const depositId of ["nothing", theirs]) {
        assert.deepInclude(yield* refused(call.propose_refund({ depositId, recipientId })), deposit)
      }
      const request = yield* refused(
        call.propose_refund({ paymentRequestId: "nothing", recipientId })
      )
      assert.deepInclude(request, {
        _tag: "NOT_FOUND",
        param: "paymentRequestId",
        message: "This account has no payment request with this id; see list_payment_requests.",
        next: { operation: "list_payment_requests", args: {} }
      })
    })
  )

  const atomically = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Atomically, ({ run }) => run(work))

  const waiting = Effect.gen(function* () {
    const world = yield* aMerchant
    const { id: depositId } = yield* world.came()
    const { call, recipientId } = world
    const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
    const status = Effect.map(call.get_proposal({ proposalId }), (now) => now.status)
    const supersede = atomically(supersedeRefunds(world.accountId, [depositId], "system"))
    const becomes = (next: Proposal["status"]) =>
      atomically(
        Effect.gen(function* () {
          const proposal = (yield* (yield* Proposals).lock(proposalId)) as Proposal
          yield* move(proposal, { status: next }, "system")
        })
      )
    return { ...world, becomes, depositId, proposalId, status, supersede }
  })

  it.effect("goes on while its money counts for the same", () =>
    Effect.gen(function* () {
      const { status, supersede } = yield* waiting
      yield* supersede
      assert.strictEqual(yield* status, "pending_confirm")
    })
  )

  it.effect("that waits for a signature is superseded too", () =>
    Effect.gen(function* () {
      const { becomes, call, depositId, status } = yield* waiting
      yield* becomes("requires_action")
      yield* call.resolve_deposit({ depositId, action: "accept" })
      assert.strictEqual(yield* status, "superseded")
    })
  )

  it.effect("that has begun is left to itself", () =>
    Effect.gen(function* () {
      const { call, came, depositId, proposalId, recipientId, status } = yield* waiting
      const { id: second } = yield* came()
      const again = yield* call.propose_refund({ depositId: second, recipientId })
      yield* call.confirm_proposal({ proposalId })
      const resolved = yield* Effect.exit(call.resolve_deposit({ depositId, action: "accept" }))
      assert.strictEqual(yield* status, "executing", resolved._tag)
      const other = yield* call.get_proposal({ proposalId: again.proposalId })
      assert.strictEqual(other.status, "pending_confirm")
    })
  )
})
