/**
 * The process dies at every call that a payment by signature makes, before it and after it: handed in again
 * it is paid once, by one row, and only by bytes that were written down.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { pay } from "../../../core/payments/pay.ts"
import { Executions } from "../../../core/ports/executions.ts"
import { PaymentRequests } from "../../../core/ports/payment-requests.ts"
import { Payouts } from "../../../core/ports/payouts.ts"
import { Settlements } from "../../../core/ports/settlements.ts"
import { Transfers } from "../../../core/ports/transfers.ts"
import { around, type Wrap } from "../../support/around.ts"
import * as Settling from "../../support/settling.ts"

type When = "before" | "after"

/** Lets a process die at one of its calls; whatever else it does is not done. */
const makeDeath = () => {
  const state = { isArmed: false, isGone: false, at: -1, when: "before" as When }
  const names: Array<string> = []
  const dead = Effect.die(new Error("The process is gone."))
  const gone = Effect.suspend(() => {
    state.isGone = true
    return dead
  })
  const wrap: Wrap = (name, call) =>
    Effect.suspend(() => {
      if (!state.isArmed) return call
      if (state.isGone) return dead
      names.push(name)
      if (names.length - 1 !== state.at) return call
      return state.when === "before" ? gone : Effect.andThen(call, gone)
    })
  /** Does the work as a process that dies at a call, or never. */
  const living = <A, E, R>(at: number, when: When, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      Object.assign(state, { isArmed: true, isGone: false, at, when })
      names.length = 0
      return Effect.exit(work)
    }).pipe(Effect.ensuring(Effect.sync(() => Object.assign(state, { isArmed: false }))))
  return { wrap, living, names }
}

it.effect("at every step, on either side of it", () => {
  const { wrap, living, names } = makeDeath()
  const below = Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
  const world = Layer.mergeAll(
    below,
    around(Settlements, below, wrap),
    around(Payouts, below, wrap),
    around(Executions, below, wrap),
    around(PaymentRequests, below, wrap),
    around(Transfers, below, wrap)
  )
  return Effect.gen(function* () {
    const first = yield* Settling.aRequest()
    const payment = yield* Settling.funded(first.request)
    const whole = yield* living(-1, "before", Settling.paid(first.request, payment))
    assert.isTrue(Exit.isSuccess(whole))
    const steps = [...names]
    for (const wanted of ["open", "simulate", "takeRelayerNonce", "note", "wrap", "broadcast"]) {
      assert.isTrue(
        steps.some((name) => name.endsWith(`.${wanted}`)),
        wanted
      )
    }
    let deaths = 0
    for (let at = 0; at < steps.length; at++) {
      for (const when of ["before", "after"] as const) {
        const { request, vault } = yield* Settling.aRequest()
        const payment = yield* Settling.funded(request)
        if (Exit.isFailure(yield* living(at, when, Settling.paid(request, payment)))) deaths++
        const copies = Array.from({ length: 5 }, () => pay(request, payment))
        const answers = yield* Settling.pushed(Effect.all(copies, { concurrency: "unbounded" }))
        const said = `${steps[at]} ${when}`
        assert.isTrue(
          answers.every(({ id, outcome }) => outcome === "paid" && id === answers[0]?.id),
          said
        )
        const [answer] = answers
        assert.include(
          (answer?.carriers ?? []).map(({ txHash }) => txHash),
          answer?.txHash ?? "none",
          said
        )
        yield* Settling.ended
        assert.strictEqual((yield* Settling.now(request)).status, "paid", said)
        assert.strictEqual(yield* Settling.held(vault.address), Settling.amountMicro, said)
        assert.lengthOf(yield* Settling.transfersOf(request), 1, said)
      }
    }
    assert.strictEqual(deaths, 2 * steps.length)
  }).pipe(Effect.provide(world))
})
