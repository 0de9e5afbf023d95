/**
 * The process dies at every call that a payment by signature makes, before it and after it: handed in again
 * it is paid once, by one row, and only by bytes that were written down.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Journal from "../../../core/evm/journal.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { pay } from "../../../core/payments/pay.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { keyOf } from "../../../core/x402/settlement.ts"
import { around } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import * as Steps from "../../support/settlement-steps.ts"

it.effect("at every step, on either side of it", () => {
  const { wrap, living, names } = makeDeath()
  const below = Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
  const world = Layer.mergeAll(
    below,
    around(SubmissionStore, below, wrap),
    around(EvmRelay, below, wrap),
    around(PaymentRequests, below, wrap),
    around(Transfers, below, wrap)
  )
  return Effect.gen(function* () {
    const first = yield* Steps.aRequest()
    const payment = yield* Steps.funded(first.request)
    const whole = yield* living(-1, "before", Steps.paid(first.request, payment))
    assert.isTrue(Exit.isSuccess(whole))
    const steps = [...names]
    for (const wanted of ["open", "simulate", "takeSequences", "save", "wrap", "broadcast"]) {
      assert.isTrue(
        steps.some((name) => name.endsWith(`.${wanted}`)),
        wanted
      )
    }
    let deaths = 0
    for (let at = 0; at < steps.length; at++) {
      for (const when of ["before", "after"] as const) {
        const { request, vault } = yield* Steps.aRequest()
        const payment = yield* Steps.funded(request)
        if (Exit.isFailure(yield* living(at, when, Steps.paid(request, payment)))) deaths++
        const copies = Array.from({ length: 5 }, () => pay(request, payment))
        const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
        const said = `${steps[at]} ${when}`
        assert.isTrue(
          answers.every(({ id, outcome }) => outcome === "paid" && id === answers[0]?.id),
          said
        )
        const [answer] = answers
        const row = yield* (yield* SubmissionStore).find(keyOf(payment.authorization))
        if (row === undefined) return assert.fail(said)
        assert.include(
          Journal.read(row).attempts.map(({ txHash }) => txHash),
          answer?.txHash ?? "none",
          said
        )
        yield* Steps.ended
        assert.strictEqual((yield* Steps.now(request)).status, "paid", said)
        assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro, said)
        assert.lengthOf(yield* Steps.transfersOf(request), 1, said)
      }
    }
    assert.strictEqual(deaths, 2 * steps.length)
  }).pipe(Effect.provide(world))
})
