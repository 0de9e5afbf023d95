/**
 * Texts that every payment writes, kept in few bytes: bodies of events, and answers. They say nearly the same words each
 * time, so they are deflated against these words. What was packed is unpacked to the letter for ever: a list of words
 * is never changed, another one gets the next number.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"

/** The words of an event and of the answers of operations, as their JSON has them. */
const words = Buffer.from(
  `{"proposalId":"","kind":"send","status":"pending_confirm","message":"","intentHash":"","summary":"Send USDC to ","expiresAt":"2026-","policyRevision":0,"takesPasskey":false,"chainId":"base","recipientId":"","fromWalletId":"","walletId":"","toWalletId":"","amountUsdc":"","feeUsd":"0.00","txHashes":[],"outcome":"executed","createdAt":"2026-","updatedAt":"2026-"}` +
    `{"checkoutSessionId":"cs_","checkoutUrl":"https://","pid":"pr_","id":"","paymentUrl":"https:///pay/pr_","qrPayload":"ethereum:0x@8453/transfer?address=0x&uint256=000000","payToAddress":"0x","chainId":"","amountUsd":".00","amountSmallestUnit":"000000","status":"open","description":null,"expiresAt":"20","vaultId":"01","customer":{"externalId":"","namespace":"default"}}` +
    `{"id":"evt_","object":"event","type":"payment_request.created","created":1,"livemode":true,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_","status":"open","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"polygon","payToAddress":"0x","vaultId":"01","customer":{"externalId":"","namespace":"default"},"checkoutSessionId":"cs_","product":{"slug":"","name":"","externalSkuId":""},"externalReference":null,"metadata":{"customerExternalId":"","customerNamespace":"default","checkoutSessionId":"cs_"},"expiresAt":"20","requestCreatedAt":"20","paidAt":null,"txHash":null,"method":null,"payer":null,"settlement":null,"checkoutUrl":"https:///pay/pr_"},"version":1}}` +
    `{"id":"evt_","object":"event","type":"payment_request.paid","created":1,"livemode":false,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_","status":"paid","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"base","payToAddress":"0x","vaultId":"01","customer":null,"checkoutSessionId":null,"product":null,"externalReference":"","metadata":{},"expiresAt":"20","requestCreatedAt":"20","paidAt":"20","txHash":"0x","method":"direct","payer":{"address":"0x","method":"checkout"},"settlement":{"txHash":"0x","settledAt":"20","method":"direct"}},"version":2}}`
)

/** The first byte says how the rest is kept. */
const plain = 0
const deflated = 1

/** As much as it takes for texts of a few thousand letters. */
const effort = { dictionary: words, level: 6, memLevel: 6, windowBits: 13 }

export const pack = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  const packed = deflateRawSync(bytes, effort)
  return packed.length < bytes.length
    ? Buffer.concat([Buffer.of(deflated), packed])
    : Buffer.concat([Buffer.of(plain), bytes])
}

export const unpack = (kept: Uint8Array): string => {
  const rest = kept.subarray(1)
  if (kept[0] === deflated) return inflateRawSync(rest, { dictionary: words }).toString()
  if (kept[0] === plain) return Buffer.from(rest).toString()
  throw new Error("A text is packed in a way that this version does not know")
}
