/** The payment request the webhook page tells of, in each state an event announces. */
import { DateTime } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"

const at = (time: string) => DateTime.makeUnsafe(`2026-11-21T${time}Z`)

const checkoutSessionId = "cs_9hT3kWq5ZbVx1LmC7pRy2NsD"
const customer = { externalId: "user_42", namespace: "default" }

export const openRequest: PaymentRequest = {
  id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  pid: "pr_4fzQx0aB7cDeFgHiJkLmNo",
  accountId: "0198c79f-1a2b-7c3d-8e4f-5a6b7c8d9e0f",
  vaultId: "0198c79f-7777-7abc-9def-0123456789ab",
  chainId: "base",
  reference: null,
  payToAddress: Address.shown("base", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
  amountMicro: Usdc.make(49_000_000n),
  receivedMicro: Usdc.zero,
  status: "open",
  settlementIssue: "none",
  description: "Pro plan, November",
  externalReference: "order-1001",
  metadata: {
    customerExternalId: customer.externalId,
    customerNamespace: customer.namespace,
    checkoutSessionId
  },
  customer,
  product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-PRO" },
  checkoutSessionId,
  successUrl: null,
  cancelUrl: null,
  expiresAt: at("10:00:00"),
  createdAt: at("09:30:00"),
  updatedAt: at("09:30:00"),
  paidAt: null,
  txHash: null,
  method: null,
  payerAddress: null,
  wasAttempted: false
}

export const paidRequest: PaymentRequest = {
  ...openRequest,
  status: "paid",
  receivedMicro: openRequest.amountMicro,
  paidAt: at("09:32:04"),
  updatedAt: at("09:32:04"),
  txHash: Address.transactionKeyOf(
    "base",
    "0x3b1f6a0c9d2e4f5867b8a9c0d1e2f30415263748596a7b8c9dae0fb1c2d3e4f5"
  ),
  method: "direct",
  payerAddress: Address.keyOf("base", "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"),
  wasAttempted: true
}

export const expiredRequest: PaymentRequest = {
  ...openRequest,
  status: "expired",
  updatedAt: at("10:00:09")
}
