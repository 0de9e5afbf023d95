/** Payments by signature that the chain does not take, or took before anybody wrote them down. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { pay } from "../../../core/payments/pay.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { Events } from "../../../core/webhooks/delivery-store.ts"
import { find } from "../../../core/x402/settlement.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import { aSettlement, open } from "../../support/settlement-rows.ts"
import * as Steps from "../../support/settlement-steps.ts"

const failures = Effect.fnUntraced(function* ({ accountId, pid }: PaymentRequest) {
  const filter = { type: "payment_request.payment_failed", pid } as const
  const { rows } = yield* (yield* Events).list(accountId, filter, { limit: 9 })
  return rows.map(({ body }) => JSON.parse(body).data.object.failure.reason)
})

/** Handed over, and in no block yet. */
const waiting = Effect.gen(function* () {
  const { request, vault } = yield* Steps.aRequest()
  const payment = yield* Steps.funded(request)
  yield* (yield* ChainScript).congest(true)
  yield* Steps.watch
  yield* Steps.pushed(pay(request, payment), 0)
  yield* Steps.look
  return { request, payment, vault }
})

layer(memoryTreasury)("a payment by signature that is under way", (it) => {
  it.effect(
    "and is reverted fails once it expires, with an event, and opens its request again",
    () =>
      Effect.gen(function* () {
        const { payment, request, vault } = yield* waiting
        const { congest, mine, pay: send, timePasses } = yield* ChainScript
        const { from } = payment.authorization
        yield* send({ from, to: `0x${"aa".repeat(20)}`, amountMicro: Steps.amountMicro })
        yield* congest(false)
        yield* mine(1)
        yield* Steps.look
        const stuck = yield* pay(request, payment)
        assert.deepInclude(stuck, { outcome: null, reason: "transaction_reverted" })
        assert.strictEqual((yield* Steps.now(request)).status, "processing")
        // Somebody else may still bring the signature to the token.
        yield* Steps.ended
        assert.isNull((yield* find(payment.authorization))?.outcome)
        assert.strictEqual((yield* Steps.now(request)).status, "processing")
        yield* timePasses(600)
        yield* Steps.ended
        assert.strictEqual((yield* find(payment.authorization))?.outcome, "failed")
        assert.strictEqual((yield* Steps.now(request)).status, "open")
        assert.deepStrictEqual(yield* failures(request), ["transaction_reverted"])
        const other = yield* Steps.funded(request)
        assert.strictEqual((yield* Steps.paid(request, other)).outcome, "paid")
        assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
      })
  )

  it.effect.each(["elsewhere", "to the vault itself"] as const)(
    "and whose payer has the token take another of its nonce %s fails, and opens its request again",
    (where) =>
      Effect.gen(function* () {
        const { request, vault } = yield* Steps.aRequest()
        const payment = yield* Steps.funded(request)
        const { from, nonce } = payment.authorization
        const { congest, dropFromMempool } = yield* ChainScript
        yield* Steps.watch
        const to = where === "elsewhere" ? Rows.anAddressKey() : Value.key(request.payToAddress)
        const another = yield* Steps.signed(request, { from, nonce, to, amountMicro: 1n })
        yield* congest(true)
        yield* Steps.pushed(pay(request, payment), 0)
        yield* Steps.look
        yield* dropFromMempool()
        yield* congest(false)
        yield* Steps.settledElsewhere(another.authorization)
        // No block is final that has it, and nothing more is paid for carrying what was handed in.
        for (let at = 0; at < 3; at++) {
          yield* TestClock.adjust("40 seconds")
          yield* Steps.look
        }
        yield* Steps.watch
        const carried = yield* find(payment.authorization)
        assert.deepInclude(carried, { outcome: null, transferId: null })
        assert.lengthOf(carried?.txIds ?? [], 1)
        yield* Steps.ended
        const failed = yield* find(payment.authorization)
        const reason = "invalid_exact_evm_nonce_already_used"
        assert.deepInclude(failed, { outcome: "failed", reason, transferId: null })
        // What came is less than any request is held up by.
        assert.deepInclude(yield* Steps.now(request), {
          status: "open",
          receivedMicro: Usdc.zero
        })
        const other = yield* Steps.funded(request)
        assert.strictEqual((yield* Steps.paid(request, other)).outcome, "paid")
        assert.isAtLeast(Number(yield* Steps.held(vault.address)), Number(Steps.amountMicro))
      })
  )

  it.effect("and whose payer has signed for more than they hold is one of four", () =>
    Effect.gen(function* () {
      const { congest, fund } = yield* ChainScript
      const from = Rows.anAddressKey()
      yield* fund(from, Steps.amountMicro)
      yield* congest(true)
      yield* Steps.watch
      const payments = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        Effect.gen(function* () {
          const { request } = yield* Steps.aRequest()
          return { request, payment: yield* Steps.signed(request, { from }) }
        })
      )
      const ends = yield* Steps.pushed(
        Effect.forEach(payments, ({ payment, request }) => Steps.reasonOf(pay(request, payment)), {
          concurrency: "unbounded"
        }),
        0
      )
      const taken = ends.filter((reason) => reason === undefined)
      assert.lengthOf(taken, 4)
      assert.lengthOf(
        ends.filter((reason) => reason === "insufficient_funds"),
        8
      )
      // Whoever holds enough for all has as many as they like.
      yield* fund(from, 4n * Steps.amountMicro)
      const { request } = yield* Steps.aRequest()
      const more = yield* Steps.pushed(pay(request, yield* Steps.signed(request, { from })), 0)
      assert.isNull(more.outcome)
      yield* congest(false)
      yield* Steps.ended
    })
  )

  it.effect("and runs out on a crowded chain leaves no gap that others wait behind", () =>
    Effect.gen(function* () {
      const { payment, request } = yield* waiting
      const { congest, timePasses } = yield* ChainScript
      yield* timePasses(600)
      yield* Steps.ended
      const failed = yield* find(payment.authorization)
      assert.deepInclude(failed, { outcome: "failed" })
      assert.strictEqual((yield* Steps.now(request)).status, "open")
      yield* congest(false)
      yield* Steps.ended
      const other = yield* Steps.funded(request)
      assert.strictEqual((yield* Steps.paid(request, other)).outcome, "paid")
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
    })
  )

  it.effect(
    "and was taken by the watcher before it was written down is claimed for its request",
    () =>
      Effect.gen(function* () {
        const { request: twin, vault } = yield* Steps.aRequest()
        const { request } = yield* Steps.aRequest({}, vault)
        const payment = yield* Steps.funded(request)
        yield* Steps.watch
        yield* Steps.settledElsewhere(payment.authorization)
        yield* Steps.watch
        assert.strictEqual((yield* Steps.now(request)).status, "open")
        const { accountId, id, pid } = request
        const now = yield* DateTime.now
        yield* open(
          aSettlement(
            { _tag: "payment_request", accountId, requestId: id, pid },
            { nextLookAt: now, createdAt: now, updatedAt: now },
            payment.authorization
          )
        )
        yield* Steps.ended
        assert.deepInclude(yield* Steps.now(request), { status: "paid", method: "x402" })
        assert.strictEqual((yield* Steps.now(twin)).status, "open")
      })
  )
})
