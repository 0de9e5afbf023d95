/** What people read of a payment: addresses in their chain's display form, though rows keep their keys. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../../core/chains/address.ts"
import * as Deposit from "../../../core/payments/deposit.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { attemptView, views } from "../../../core/payments/view.ts"
import * as Rows from "../../support/rows.ts"
import { twoChains } from "../../support/two-chains.ts"

it("attempts and deposits name their payer in display form", () => {
  const payer = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
  const transfer = Rows.aTransfer(Rows.aVault("a"), {
    chainId: "base",
    payerAddress: Address.keyOf("base", payer)
  })
  assert.strictEqual(attemptView(transfer, undefined).payerAddress, payer)
  assert.strictEqual(Deposit.view(transfer, []).payerAddress, payer)
})

layer(twoChains)("A page of payment requests", (it) => {
  it.effect("looks for what was credited only to those that something ever was", () =>
    Effect.gen(function* () {
      const vault = Rows.aVault("account")
      const [paid, ...others] = [true, false, false].map((wasAttempted) =>
        Rows.aPaymentRequest(vault, { wasAttempted })
      )
      const transfers = yield* Transfers
      const sought: Array<string> = []
      const ofRequests = (ids: ReadonlyArray<string>) => {
        sought.push(...ids)
        return transfers.ofRequests(ids)
      }
      const shown = (rows: typeof others) =>
        Effect.provideService(views(rows), Transfers, { ...transfers, ofRequests })
      assert.lengthOf(yield* shown(others), 2)
      assert.deepStrictEqual(sought, [])
      assert.lengthOf(yield* shown([...others, ...(paid === undefined ? [] : [paid])]), 3)
      assert.deepStrictEqual(sought, [paid?.id])
    })
  )
})
