/** Sends over the in-memory stores are signed under a warrant or not at all. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Approvals from "../../contracts/permit-signing-policy.contract.ts"
import * as Contract from "../../contracts/signing-policy.contract.ts"
import { warranted } from "../../support/signable-orders.ts"

const ground = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
)

Contract.suite("memory", ground)
Approvals.suite("memory", ground)

layer(ground)("memory: the warrant, where no database refuses it", (it) => {
  it.effect("what takes a passkey is not signed before a human has", () =>
    Effect.gen(function* () {
      const unsigned = yield* warranted({ proposal: { takesPasskey: true } })
      assert.match((yield* Contract.objectionTo(unsigned.order)) ?? "", /passkey/u)
      const signed = yield* warranted({ proposal: { takesPasskey: true, signedBy: "ada" } })
      assert.isUndefined(yield* Contract.objectionTo(signed.order))
    })
  )
})
