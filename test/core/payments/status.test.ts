/** The status a request's transfers add up to, over every mix of final money and money in flight. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Usdc from "../../../core/money/usdc.ts"
import { issueOf, statusFor } from "../../../core/payments/status.ts"

describe("The status of a payment request", () => {
  it("is the sum of what came", () => {
    const amount = 10n
    const rows = [
      [0n, 0n, "open"],
      [0n, 4n, "processing"],
      [0n, 10n, "processing"],
      [4n, 0n, "partially_paid"],
      [4n, 6n, "processing"],
      [10n, 0n, "paid"],
      [11n, 0n, "paid"],
      [10n, 5n, "paid"]
    ] as const
    for (const [finalMicro, inFlightMicro, status] of rows) {
      assert.strictEqual(
        statusFor(Usdc.make(amount), {
          finalMicro: Usdc.make(finalMicro),
          inFlightMicro: Usdc.make(inFlightMicro)
        }),
        status
      )
    }
  })

  it("is paid if and only if final money covers the amount", () => {
    const micro = fc.bigInt({ min: 0n, max: 1_000n }).map(Usdc.make)
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1_000n }), micro, micro, (amount, final, inFlight) => {
        const status = statusFor(Usdc.make(amount), { finalMicro: final, inFlightMicro: inFlight })
        assert.strictEqual(status === "paid", final >= amount)
        assert.strictEqual(issueOf(Usdc.make(amount), final), final > amount ? "overpaid" : "none")
      })
    )
  })
})
