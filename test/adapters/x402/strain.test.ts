/** A payment link under strain: a fault of ours, and an address whose payments fail again and again. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Links from "../../support/payment-link-server.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as Sending from "../../support/signed-payments.ts"
import { assertSpent } from "../../support/surfaces.ts"

const broken = Layer.effect(
  EvmRelay,
  Effect.map(EvmRelay, (payouts) => ({ ...payouts, simulate: () => Effect.die("it broke") }))
)

const brokenWorld = Layer.suspend(() =>
  Links.served(Sending.impatient).pipe(
    Layer.provideMerge(
      Layer.provideMerge(
        broken,
        Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1)
      )
    )
  )
)

layer(brokenWorld, { excludeTestServices: true })("a fault of ours", (it) => {
  it.effect("is opaque, and does not say that nothing happened to a payment that came", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const { authorization } = yield* Steps.funded(request)
      const reply = yield* Sending.sent(request, authorization)
      assert.strictEqual(reply.status, 500)
      assert.deepInclude(reply.body.error, { code: "INTERNAL", outcome: "unknown" })
      assert.notInclude(reply.text, "it broke")
    })
  )
})

layer(
  Layer.suspend(() => Sending.world({ ...Sending.unhurried, failures: 3 })),
  { excludeTestServices: true }
)("an address whose payments fail", (it) => {
  it.effect("is asked to wait before the chain is asked again", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const { authorization } = yield* Steps.signed(request)
      for (let tried = 0; tried < 3; tried++) {
        assert.strictEqual((yield* Sending.sent(request, authorization)).status, 402)
      }
      assertSpent(yield* Sending.sent(request, authorization), "failed_payments")
      assert.strictEqual((yield* Links.fetched(request.pid)).status, 402)
    })
  )
})
