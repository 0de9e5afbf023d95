/**
 * A payer's own transaction on Solana settles once, however often it is handed in and wherever the process dies. It
 * ends by what final blocks say, and nothing is made in its place.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { pay } from "../../../core/payments/pay.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import * as Journal from "../../../core/solana/journal.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { find, keyOf } from "../../../core/x402/settlement.ts"
import { around } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as Signed from "../../support/signed-on-solana.ts"

const below = () =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local-solana"]) }, 1)

layer(Layer.suspend(below))("a payer's transaction on Solana", (it) => {
  it.effect("is paid once and answered alike, however many copies come at once (threat 29)", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Signed.aRequest()
      const payment = yield* Signed.funded(request)
      const copies = Array.from({ length: 64 }, () => pay(request, payment))
      const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
      const [first] = answers
      assert.strictEqual(first?.outcome, "paid")
      assert.isTrue(answers.every(({ id, txHash }) => id === first?.id && txHash === first?.txHash))
      assert.lengthOf(first?.txIds ?? [], 1)
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
      const paid = yield* Steps.now(request)
      assert.deepInclude(paid, { status: "paid", method: "x402" })
      assert.strictEqual(paid.payerAddress, payment.authorization.from)
      assert.lengthOf(yield* Steps.transfersOf(request), 1)
    })
  )

  it.effect("pays the request that it names, though a twin waits on the same vault", () =>
    Effect.gen(function* () {
      const { request: twin, vault } = yield* Signed.aRequest()
      const { request } = yield* Signed.aRequest(vault)
      const payment = yield* Signed.funded(request)
      const asTwins = { ...payment, accepted: { ...payment.accepted, memo: twin.pid } }
      assert.strictEqual(
        yield* Steps.reasonOf(pay(twin, asTwins)),
        "invalid_exact_svm_payload_memo_mismatch"
      )
      assert.strictEqual((yield* Steps.paid(request, payment)).outcome, "paid")
      assert.strictEqual((yield* Steps.now(twin)).status, "open")
    })
  )

  it.effect("that is not what was asked is not written down", () =>
    Effect.gen(function* () {
      const { request } = yield* Signed.aRequest()
      const cases = [
        [{ amountMicro: Usdc.make(1n) }, "invalid_exact_svm_payload_amount_mismatch"],
        [{ to: request.payToAddress.replace(/.$/u, "2") as never }, "recipient_mismatch"],
        [{ feePayer: request.payToAddress as never }, "fee_payer_not_managed"],
        [{ units: 200_001 }, "compute_limit_instruction_too_high"],
        [{ priority: 100_001n }, "compute_price_instruction_too_high"],
        [{ blockhash: "1" }, "transaction_simulation_failed"]
      ] as const
      for (const [change, reason] of cases) {
        const payment = yield* Signed.funded(request, change)
        yield* (yield* ChainScript).timePasses(2)
        assert.include(yield* Steps.reasonOf(pay(request, payment)), reason)
        assert.isUndefined(yield* find(payment.authorization))
      }
      const { authorization, ...rest } = yield* Signed.funded(request)
      yield* (yield* ChainScript).pay({
        from: authorization.from,
        to: authorization.feePayer,
        amountMicro: 1n
      })
      assert.strictEqual(
        yield* Steps.reasonOf(pay(request, { ...rest, authorization })),
        "insufficient_funds"
      )
      assert.strictEqual((yield* Steps.now(request)).status, "open")
    })
  )

  it.effect("that no block takes in time fails, and the request is open again", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Signed.aRequest()
      const payment = yield* Signed.funded(request)
      const { congest, timePasses } = yield* ChainScript
      yield* congest(true)
      yield* Steps.pushed(pay(request, payment), 0)
      yield* Steps.look
      assert.strictEqual((yield* Steps.now(request)).status, "processing")
      yield* timePasses(Signed.hashLifeSeconds + 30)
      yield* Steps.ended
      assert.deepInclude(yield* find(payment.authorization), {
        outcome: "failed",
        reason: "invalid_exact_svm_transaction_failed"
      })
      assert.strictEqual((yield* Steps.now(request)).status, "open")
      yield* congest(false)
      const next = yield* Signed.funded(request)
      assert.strictEqual((yield* Steps.paid(request, next)).outcome, "paid")
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
    })
  )

  it.effect("that a reorganisation drops stays on its way, and in a block again pays once", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Signed.aRequest()
      const payment = yield* Signed.funded(request)
      yield* Steps.pushed(pay(request, payment), 0)
      const { mine, reorg } = yield* ChainScript
      yield* Steps.watch
      yield* Steps.look
      yield* mine(1)
      yield* Steps.watch
      yield* reorg(1)
      yield* Steps.watch
      assert.strictEqual((yield* Steps.now(request)).status, "processing")
      yield* Steps.ended
      assert.strictEqual((yield* pay(request, payment)).outcome, "paid")
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
    })
  )
})

it.effect("a payer's transaction is paid once, at whichever step the process dies", () => {
  const { living, names, wrap } = makeDeath()
  const treasury = below()
  const world = Layer.mergeAll(
    treasury,
    around(SubmissionStore, treasury, wrap),
    around(SolanaRelay, treasury, wrap),
    around(PaymentRequests, treasury, wrap),
    around(Transfers, treasury, wrap)
  )
  return Effect.gen(function* () {
    const first = yield* Signed.aRequest()
    const whole = yield* living(
      -1,
      "before",
      Steps.paid(first.request, yield* Signed.funded(first.request))
    )
    assert.isTrue(Exit.isSuccess(whole))
    const steps = [...names]
    for (const wanted of ["open", "trySigned", "countersign", "save", "broadcast"]) {
      assert.isTrue(
        steps.some((name) => name.endsWith(`.${wanted}`)),
        wanted
      )
    }
    let deaths = 0
    for (let at = 0; at < steps.length; at++) {
      for (const when of ["before", "after"] as const) {
        const { request, vault } = yield* Signed.aRequest()
        const payment = yield* Signed.funded(request)
        if (Exit.isFailure(yield* living(at, when, Steps.paid(request, payment)))) deaths++
        const copies = Array.from({ length: 5 }, () => pay(request, payment))
        const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
        const said = `${steps[at]} ${when}`
        assert.isTrue(
          answers.every(({ id, outcome }) => outcome === "paid" && id === answers[0]?.id),
          said
        )
        const row = yield* (yield* SubmissionStore).find(keyOf(payment.authorization))
        if (row === undefined) return assert.fail(said)
        const written = Journal.read(row).attempts.map(({ txId }) => txId)
        assert.include(written, answers[0]?.txHash ?? "none", said)
        yield* Steps.ended
        assert.strictEqual((yield* Steps.now(request)).status, "paid", said)
        assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro, said)
        assert.lengthOf(yield* Steps.transfersOf(request), 1, said)
      }
    }
    assert.strictEqual(deaths, 2 * steps.length)
  }).pipe(Effect.provide(world))
})
