/** The payment page: what a payer must see in every status, and nothing a merchant wrote run as markup. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { payPage } from "../../../adapters/pages/pay-page.ts"
import type { PublicRequest } from "../../../core/payments/public.ts"
import { Status } from "../../../core/payments/status.ts"

const request: PublicRequest = {
  id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  pid: "pr_0123456789012345678901",
  status: "open",
  amountSmallestUnit: 1_250_500_000n,
  amountUsd: 1_250_500_000n,
  amountReceivedSmallestUnit: 0n,
  amountRemainingSmallestUnit: 1_250_500_000n,
  settlementIssue: "none",
  assetSymbol: "USDC",
  tokenDecimals: 6,
  chainId: "base",
  payToAddress: "0x8Ba1f109551bD432803012645Ac136ddd64DBA72",
  walletMappingId: "v",
  vaultId: "v",
  description: "Invoice 2041",
  externalReference: null,
  metadata: {},
  customer: null,
  product: null,
  checkoutSessionId: null,
  paymentUrl: "http://localhost:4000/pay/pr_0123456789012345678901",
  qrPayload: "ethereum:0x833589@8453/transfer?address=0x8Ba1&uint256=1250500000",
  expiresAt: DateTime.makeUnsafe("2026-11-21T01:54:00Z"),
  createdAt: DateTime.makeUnsafe("2026-11-20T01:54:00Z"),
  paidAt: null,
  txHash: null,
  method: null,
  attempts: [],
  merchant: "Northwind Supply",
  chainName: "Base",
  successUrl: "https://shop.example.com/thanks",
  cancelUrl: null
}

describe("The payment page", () => {
  it("shows amount, address, network, QR code and expiry while it can be paid", () => {
    const page = payPage(request)
    for (const text of ["1,250.50", request.payToAddress, "Base", "<svg", "2026-11-21 01:54 UTC"]) {
      assert.include(page, text)
    }
    assert.include(page, 'http-equiv="refresh"')
  })

  it("asks for the rest of a partly paid request", () => {
    const page = payPage({
      ...request,
      status: "partially_paid",
      amountReceivedSmallestUnit: 1_000_000_000n,
      amountRemainingSmallestUnit: 250_500_000n
    })
    assert.include(page, "Partly paid: 1000.00 received, 250.50 to go")
  })

  it("shows no address and no QR code once nothing may be paid any more", () => {
    for (const status of ["paid", "expired", "cancelled"] as const) {
      const page = payPage({ ...request, status, txHash: `0x${"cd".repeat(32)}` })
      assert.notInclude(page, request.payToAddress)
      assert.notInclude(page, "<svg")
      assert.notInclude(page, 'http-equiv="refresh"')
    }
    assert.include(payPage({ ...request, status: "paid" }), "https://shop.example.com/thanks")
  })

  it("has no script and runs none of what a merchant wrote", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Status.literals),
        fc.oneof(fc.string(), fc.constantFrom("<script>alert(1)</script>", '"><img src=x>', "'&<")),
        (status, text) => {
          const plain = payPage({ ...request, status, description: "x", merchant: "y" })
          const page = payPage({ ...request, status, description: text, merchant: text })
          assert.notInclude(page, "<script")
          assert.strictEqual(page.split("<").length, plain.split("<").length)
        }
      )
    )
  })
})
