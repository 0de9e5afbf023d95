/** Sends over the in-memory stores are signed under the signing policy or not at all. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Approvals from "../../contracts/permit-signing-policy.contract.ts"
import * as Contract from "../../contracts/signing-policy.contract.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { signable } from "../../support/signable-orders.ts"

Contract.suite("memory", memoryTreasury)
Approvals.suite("memory", memoryTreasury)

layer(memoryTreasury)("memory: the signing policy, where no database refuses it", (it) => {
  it.effect("what takes a passkey is not signed before a human has", () =>
    Effect.gen(function* () {
      const unsigned = yield* signable({ proposal: { takesPasskey: true } })
      assert.match((yield* Contract.violationOf(unsigned.order)) ?? "", /passkey/u)
      const signed = yield* signable({ proposal: { takesPasskey: true, signedBy: "ada" } })
      assert.isUndefined(yield* Contract.violationOf(signed.order))
    })
  )
})
