/**
 * Each refusal of a refund, asked where nothing but that rule refuses; and what becomes of a refund that
 * waits while its money comes to count for something else.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Executions } from "../../../core/ports/executions.ts"
import { Proposals } from "../../../core/ports/proposals.ts"
import { Refunds } from "../../../core/ports/refunds.ts"
import type { Execution } from "../../../core/proposals/execution.ts"
import { end } from "../../../core/proposals/progress.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { aMerchant } from "../../support/a-merchant.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Plant from "../../support/planting.ts"
import * as Rows from "../../support/rows.ts"

interface Refused {
  readonly _tag: string
  readonly message: string
  readonly param?: string
  readonly details?: Readonly<Record<string, unknown>>
}

const refused = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), (error) => error as unknown as Refused)

/** The execution of a proposal comes to its end. */
const ends = Effect.fnUntraced(function* (proposalId: string, status: "completed" | "failed") {
  const execution = (yield* (yield* Executions).find(proposalId)) as Execution
  yield* end(execution, { status, statusReason: status === "failed" ? "It is dead." : null })
})

const sharesOf = (...transferIds: ReadonlyArray<string>) =>
  Effect.flatMap(Refunds, (refunds) => refunds.ofTransfers(transferIds))

layer(memoryTreasury)("A refund is refused", (it) => {
  it.effect("of what counts for a request that is partly paid and can still be paid", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const half = { status: "partially_paid", receivedMicro: 10_000_000n } as const
      const request = yield* Plant.paymentRequest(vault, { ...half, amountMicro: 20_000_000n })
      yield* came({ requestId: request.id })
      const refusal = yield* refused(
        call.propose_refund({ paymentRequestId: request.id, recipientId })
      )
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.strictEqual(refusal.param, "paymentRequestId")
      assert.deepStrictEqual(refusal.details, { pid: request.pid, status: "partially_paid" })
    })
  )

  it.effect("of a deposit that is attached to a request which can still be paid", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const { pid } = yield* call.create_payment_request({
        walletMappingId: vault.id,
        amountUsd: 20
      })
      const { id: depositId } = yield* came()
      yield* call.resolve_deposit({ depositId, action: "attach", pid })
      const refusal = yield* refused(call.propose_refund({ depositId, recipientId }))
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.strictEqual(refusal.param, "depositId")
      assert.deepStrictEqual(refusal.details, { pid, status: "partially_paid" })
    })
  )

  it.effect("of money that is only seen, beside money that is final", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const got = { status: "paid", receivedMicro: 10_000_000n } as const
      const request = yield* Plant.paymentRequest(vault, got)
      yield* came({ requestId: request.id })
      yield* came({ requestId: request.id, state: "seen", finalAt: null, amountMicro: 5_000_000n })
      const meant = { paymentRequestId: request.id, recipientId }
      const refusal = yield* refused(call.propose_refund({ ...meant, amountUsdc: "10.000001" }))
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.deepStrictEqual(refusal.details, { refundableUsdc: "10.00" })
      const whole = yield* call.propose_refund(meant)
      assert.include(whole.summary, "Refund 10.00 USDC")
    })
  )

  it.effect("of a deposit that is only seen", () =>
    Effect.gen(function* () {
      const { call, came, recipientId } = yield* aMerchant
      const { id: depositId } = yield* came({ state: "seen", finalAt: null })
      const refusal = yield* refused(call.propose_refund({ depositId, recipientId }))
      assert.deepStrictEqual(refusal.details, { state: "seen" })
    })
  )

  it.effect("of what pays a request, when it is named as a deposit", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const got = { status: "paid", receivedMicro: 10_000_000n } as const
      const request = yield* Plant.paymentRequest(vault, got)
      const { id: depositId } = yield* came({ requestId: request.id })
      const refusal = yield* refused(call.propose_refund({ depositId, recipientId }))
      assert.strictEqual(refusal._tag, "NOT_FOUND")
      const { id: gone } = yield* came({ state: "reorged" })
      const dropped = yield* refused(call.propose_refund({ depositId: gone, recipientId }))
      assert.strictEqual(dropped._tag, "NOT_FOUND")
    })
  )

  it.effect("of two of one deposit, the second as far as the first has taken it", () =>
    Effect.gen(function* () {
      const { call, came, recipientId } = yield* aMerchant
      const { id: depositId } = yield* came()
      const meant = { depositId, recipientId }
      const one = yield* call.propose_refund({ ...meant, amountUsdc: "6" })
      const two = yield* call.propose_refund({ ...meant, amountUsdc: "6" })
      yield* call.confirm_proposal({ proposalId: one.proposalId })
      const refusal = yield* refused(call.confirm_proposal({ proposalId: two.proposalId }))
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.deepStrictEqual(refusal.details, { refundableUsdc: "4.00" })
      const rest = yield* call.propose_refund(meant)
      assert.include(rest.summary, "Refund 4.00 USDC")
    })
  )

  it.effect("in advice as well, on another chain than the money came in on", () =>
    Effect.gen(function* () {
      const { accountId, call, came, recipientId } = yield* aMerchant
      const { id: depositId } = yield* came()
      const elsewhere = yield* Plant.recipient(accountId, { chainId: "base", status: "approved" })
      const ruleFor = (id: string) =>
        Effect.map(
          call.simulate_transfer({ recipientId: id, amountUsdc: "1", depositId }),
          ({ rules }) => rules.find(({ rule }) => rule === "refund_left")?.passes
        )
      assert.isTrue(yield* ruleFor(recipientId))
      assert.isFalse(yield* ruleFor(elsewhere.id))
    })
  )
})

layer(memoryTreasury)("A refund that ends", (it) => {
  it.effect("in part leaves its deposit open, and in full resolves it", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const { id: depositId } = yield* came()
      const meant = { depositId, recipientId }
      const statusNow = Effect.map(call.list_deposits({ vaultId: vault.id }), ({ deposits }) => {
        const [first] = deposits
        return [first?.status, first?.resolution, first?.refundedSmallestUnit]
      })
      const some = yield* call.propose_refund({ ...meant, amountUsdc: "4" })
      yield* call.confirm_proposal({ proposalId: some.proposalId })
      yield* ends(some.proposalId, "completed")
      assert.deepStrictEqual(yield* statusNow, ["open", null, "4000000"])
      const rest = yield* call.propose_refund(meant)
      const more = yield* call.propose_refund({ ...meant, amountUsdc: "1" })
      yield* call.confirm_proposal({ proposalId: rest.proposalId })
      yield* ends(rest.proposalId, "completed")
      assert.deepStrictEqual(yield* statusNow, ["resolved", "refunded", "10000000"])
      const { status } = yield* call.get_proposal({ proposalId: more.proposalId })
      assert.strictEqual(status, "superseded")
    })
  )

  it.effect("as failed leaves all of it to be sent back once more", () =>
    Effect.gen(function* () {
      const { call, came, recipientId } = yield* aMerchant
      const { id: depositId } = yield* came()
      const meant = { depositId, recipientId }
      const first = yield* call.propose_refund(meant)
      yield* call.confirm_proposal({ proposalId: first.proposalId })
      yield* ends(first.proposalId, "failed")
      assert.lengthOf(yield* sharesOf(depositId), 0)
      const again = yield* call.propose_refund(meant)
      assert.include(again.summary, "Refund 10.00 USDC")
      const { status } = yield* call.confirm_proposal({ proposalId: again.proposalId })
      assert.strictEqual(status, "executing")
    })
  )

  it.effect("of two transfers takes the payee's own first, each once, and resolves neither", () =>
    Effect.gen(function* () {
      const { call, came, recipient, vault } = yield* aMerchant
      const got = { status: "paid", receivedMicro: 15_000_000n, amountMicro: 15_000_000n } as const
      const request = yield* Plant.paymentRequest(vault, got)
      const { id: others } = yield* came({ requestId: request.id, amountMicro: 5_000_000n })
      const { id: theirs } = yield* came({
        requestId: request.id,
        payerAddress: recipient.address,
        seenAt: Rows.at(9)
      })
      const meant = { paymentRequestId: request.id, recipientId: recipient.id }
      const proposal = yield* call.propose_refund({ ...meant, amountUsdc: "15" })
      assert.include(proposal.summary, "NOT whom it came from")
      yield* call.confirm_proposal({ proposalId: proposal.proposalId })
      const shares = yield* sharesOf(others, theirs)
      const taken = shares.map(({ amountMicro, transferId }) => [transferId, amountMicro])
      assert.sameDeepMembers(taken, [
        [theirs, 10_000_000n],
        [others, 5_000_000n]
      ])
      yield* ends(proposal.proposalId, "completed")
      const { deposits } = yield* call.list_deposits({ vaultId: vault.id })
      assert.lengthOf(deposits, 0)
    })
  )
})

layer(memoryTreasury)("A refund that waits", (it) => {
  const waiting = Effect.gen(function* () {
    const ground = yield* aMerchant
    const { call, came, recipientId, vault } = ground
    const { id: depositId } = yield* came()
    const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
    const confirm = call.confirm_proposal({ proposalId })
    const statusNow = Effect.map(call.get_proposal({ proposalId }), ({ status }) => status)
    const request = (amountUsd: number) =>
      call.create_payment_request({ walletMappingId: vault.id, amountUsd })
    return { ...ground, confirm, depositId, proposalId, request, statusNow }
  })

  it.effect("is superseded when its deposit is attached and pays a request", () =>
    Effect.gen(function* () {
      const { call, confirm, depositId, proposalId, request, statusNow } = yield* waiting
      const { pid } = yield* request(10)
      const paid = yield* call.resolve_deposit({ depositId, action: "attach", pid })
      assert.strictEqual(paid.paymentRequestStatus, "paid")
      assert.strictEqual(yield* statusNow, "superseded")
      const { statusReason } = yield* call.get_proposal({ proposalId })
      assert.include(statusReason ?? "", "counts for")
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
      const request = yield* Plant.paymentRequest(vault, over)
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
        const old = yield* Plant.proposal({ ...proposal, id: Rows.anId(), terms })
        const refusal = yield* refused(call.confirm_proposal({ proposalId: old.id }))
        assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
        assert.include(refusal.message, "propose it anew")
      })
  )
})
