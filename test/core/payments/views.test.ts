/** What people read of a payment: addresses in their chain's display form, though rows keep their keys. */
import { assert, it } from "@effect/vitest"
import * as Address from "../../../core/chains/address.ts"
import * as Deposit from "../../../core/payments/deposit.ts"
import { attemptView } from "../../../core/payments/view.ts"
import * as Rows from "../../support/rows.ts"

it("attempts and deposits name their payer in display form", () => {
  const payer = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
  const transfer = Rows.aTransfer(Rows.aVault("a"), {
    chainId: "base",
    payerAddress: Address.keyOf("base", payer)
  })
  assert.strictEqual(attemptView(transfer, undefined).payerAddress, payer)
  assert.strictEqual(Deposit.view(transfer, []).payerAddress, payer)
})
