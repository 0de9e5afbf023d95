/** The process dies at every call that opening a bought account makes: handed in again, it is one account and one payment. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts, Keys } from "../../../core/accounts/account-store.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { OutboundEmails } from "../../../core/mail/email-store.ts"
import { Purchases } from "../../../core/policy/spending-ledger.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Value from "../../support/chain-values.ts"
import * as Sale from "../../support/plan-purchases.ts"
import { around } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import * as Steps from "../../support/settlement-steps.ts"

const holder = "0b7e4a52-8f0c-4d6e-9a1b-5c3d2e1f0a9b"
const opening = { contactEmail: "ada@example.com" }

it.effect("at every step, on either side of it", () => {
  const { wrap, living, names } = makeDeath()
  const below = Sale.layer({ store: new Store(), chain: Wiring.scriptedChain() })
  const world = Layer.mergeAll(
    below,
    around(SubmissionStore, below, wrap),
    around(EvmRelay, below, wrap),
    around(Accounts, below, wrap),
    around(Keys, below, wrap),
    around(Wallets, below, wrap),
    around(OutboundEmails, below, wrap),
    around(Purchases, below, wrap)
  )
  return Effect.gen(function* () {
    const first = yield* Sale.signed()
    yield* living(-1, "before", Sale.bought(first, holder, opening))
    const steps = [...names]
    for (const wanted of [
      "SubmissionStore.open",
      "EvmRelay.broadcast",
      "Accounts.open",
      "Keys.issue"
    ]) {
      assert.include(steps, wanted)
    }
    for (const wanted of ["Wallets.add", "Purchases.record", "OutboundEmails.write"]) {
      assert.include(steps, wanted)
    }
    let deaths = 0
    for (let at = 0; at < steps.length; at++) {
      for (const when of ["before", "after"] as const) {
        const said = `${steps[at]} ${when}`
        const payment = yield* Sale.signed()
        const { amountMicro, from } = payment.authorization
        const till = yield* Steps.held(Sale.till)
        if (Exit.isFailure(yield* living(at, when, Sale.bought(payment, holder, opening)))) deaths++
        const copies = Array.from({ length: 3 }, () => Sale.handIn(payment, holder, opening))
        const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
        const [answer] = answers
        assert.strictEqual(answer?.outcome, "paid", said)
        assert.isTrue(answer?.told?.secretAvailable, said)
        for (const other of answers) assert.deepStrictEqual(other, answer, said)
        const { rows } = yield* (yield* Accounts).fundedBy(
          { chainId: "local", address: Value.address(from) },
          { limit: 10 }
        )
        assert.lengthOf(rows, 1, said)
        assert.strictEqual((yield* Steps.held(Sale.till)) - till, amountMicro, said)
      }
    }
    assert.strictEqual(deaths, 2 * steps.length)
  }).pipe(Effect.provide(world))
})
