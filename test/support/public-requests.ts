/** A payment request as its page is given it; open, with nothing paid, unless said otherwise. */
import { DateTime } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import type { PublicRequest } from "../../core/payments/public.ts"
import * as Value from "./chain-values.ts"

export const address = Value.address("0x8Ba1f109551bD432803012645Ac136ddd64DBA72")

const amountMicro = 1_250_500_000n

const uri = `ethereum:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913@8453/transfer?address=${address}&uint256=`

export const aPublicRequest = (over: Partial<PublicRequest> = {}): PublicRequest => ({
  id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  pid: "pr_0123456789012345678901",
  status: "open",
  amountSmallestUnit: amountMicro,
  amountUsd: amountMicro,
  amountReceivedSmallestUnit: 0n,
  amountRemainingSmallestUnit: amountMicro,
  settlementIssue: "none",
  assetSymbol: "USDC",
  tokenDecimals: 6,
  chainId: "base",
  payToAddress: address,
  walletMappingId: "v",
  vaultId: "v",
  description: "Invoice 2041",
  externalReference: null,
  metadata: {},
  customer: null,
  product: null,
  checkoutSessionId: null,
  paymentUrl: "http://localhost:4000/pay/pr_0123456789012345678901",
  qrPayload: `${uri}${amountMicro}`,
  expiresAt: DateTime.makeUnsafe("2026-11-21T01:54:00Z"),
  createdAt: DateTime.makeUnsafe("2026-11-20T01:54:00Z"),
  paidAt: null,
  txHash: null,
  method: null,
  attempts: [],
  merchant: "Northwind Supply",
  brandColor: null,
  logoUrl: null,
  livemode: true,
  chainName: "Base",
  successUrl: "https://shop.example.com/thanks",
  cancelUrl: "https://shop.example.com/cart",
  confirmationsNeeded: 12,
  dueMicro: Usdc.make(amountMicro),
  dueUri: `${uri}${amountMicro}`,
  call: null,
  walletChain: null,
  transactionUrl: null,
  cameLate: [],
  mayChange: true,
  ...over
})

/** The same once nothing may be sent to it any more. */
export const aClosedRequest = (
  status: "paid" | "expired" | "cancelled",
  over: Partial<PublicRequest> = {}
) =>
  aPublicRequest({
    status,
    dueMicro: Usdc.make(0n),
    dueUri: null,
    mayChange: status !== "paid",
    ...over
  })
