/** Each refusal of a refund, asked where nothing but that rule refuses; and how a refund ends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Usdc from "../../../core/money/usdc.ts"
import { ended } from "../../../core/proposals/run-step.ts"
import { keyOf } from "../../../core/proposals/step.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { refused, sharesOf } from "../../support/refund-checks.ts"
import { aMerchant } from "../../support/refunding-merchant.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** The submission of a proposal comes to its end. */
const ends = Effect.fnUntraced(function* (proposalId: string, status: "completed" | "failed") {
  const submission = (yield* (yield* SubmissionStore).find(keyOf(proposalId))) as Submission
  const isDone = status === "completed"
  const reason = isDone ? null : "It is dead."
  yield* ended([{ ...submission, status: isDone ? "final" : "failed", reason }])
})

layer(memoryTreasury)("A refund is refused", (it) => {
  it.effect("of what counts for a request that is partly paid and can still be paid", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const half = { status: "partially_paid", receivedMicro: 10_000_000n } as const
      const request = yield* Stored.paymentRequest(vault, { ...half, amountMicro: 20_000_000n })
      yield* came({ requestId: request.id })
      const refusal = yield* refused(
        call.propose_refund({ paymentRequestId: request.id, recipientId })
      )
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.strictEqual(refusal.param, "paymentRequestId")
      assert.deepStrictEqual(refusal.details, { pid: request.pid, status: "partially_paid" })
    })
  )

  it.effect("of a request whose money stands as deposits since it ended half paid", () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const half = { status: "expired", receivedMicro: 10_000_000n } as const
      const { id: paymentRequestId, pid } = yield* Stored.paymentRequest(vault, half)
      const { id: depositId } = yield* came({ candidatePids: [pid] })
      const refusal = yield* refused(call.propose_refund({ paymentRequestId, recipientId }))
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.match(refusal.message, /stands as deposits/u)
      yield* call.propose_refund({ depositId, recipientId })
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
      const request = yield* Stored.paymentRequest(vault, got)
      yield* came({ requestId: request.id })
      yield* came({
        requestId: request.id,
        state: "seen",
        finalAt: null,
        amountMicro: Usdc.make(5_000_000n)
      })
      const meant = { paymentRequestId: request.id, recipientId }
      const refusal = yield* refused(call.propose_refund({ ...meant, amountUsdc: "10.000001" }))
      assert.strictEqual(refusal._tag, "NOTHING_TO_REFUND")
      assert.deepStrictEqual(refusal.details, { refundableUsdc: "10.00" })
      const whole = yield* call.propose_refund(meant)
      assert.include(whole.summary, "Refund 10.00 USDC")
    })
  )

  it.effect("of money that came from a wallet of the account itself", () =>
    Effect.gen(function* () {
      const { call, came, recipientId } = yield* aMerchant
      const { id: depositId } = yield* came({ resolution: "own_transfer" })
      const refusal = yield* refused(call.propose_refund({ depositId, recipientId }))
      assert.deepInclude(refusal, { _tag: "NOTHING_TO_REFUND", param: "depositId" })
      assert.deepStrictEqual(refusal.details, { resolution: "own_transfer" })
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
      const request = yield* Stored.paymentRequest(vault, got)
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
      const elsewhere = yield* Stored.recipient(accountId, { chainId: "base", status: "approved" })
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
      const request = yield* Stored.paymentRequest(vault, got)
      const { id: others } = yield* came({
        requestId: request.id,
        amountMicro: Usdc.make(5_000_000n)
      })
      const { id: theirs } = yield* came({
        requestId: request.id,
        payerAddress: Value.key(recipient.address),
        seenAt: Rows.at(9)
      })
      const meant = { paymentRequestId: request.id, recipientId: recipient.id }
      const proposal = yield* call.propose_refund({ ...meant, amountUsdc: "15" })
      assert.include(proposal.summary, "NOT the payer's")
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
