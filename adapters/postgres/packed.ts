/**
 * Texts that every payment writes, kept in few bytes: bodies of events, and answers. They say nearly the same words each
 * time, so they are deflated against these words. What was packed is unpacked to the letter for ever: a list of words
 * is never changed, another one gets the next number.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { putBack, takeOut } from "./packed-values.ts"

/** The words of an event and of the answers of operations, as their JSON had them before values were taken out. */
const firstWords = Buffer.from(
  `{"proposalId":"","kind":"send","status":"pending_confirm","message":"","intentHash":"","summary":"Send USDC to ","expiresAt":"2026-","policyRevision":0,"takesPasskey":false,"chainId":"base","recipientId":"","fromWalletId":"","walletId":"","toWalletId":"","amountUsdc":"","feeUsd":"0.00","txHashes":[],"outcome":"executed","createdAt":"2026-","updatedAt":"2026-"}` +
    `{"checkoutSessionId":"cs_","checkoutUrl":"https://","pid":"pr_","id":"","paymentUrl":"https:///pay/pr_","qrPayload":"ethereum:0x@8453/transfer?address=0x&uint256=000000","payToAddress":"0x","chainId":"","amountUsd":".00","amountSmallestUnit":"000000","status":"open","description":null,"expiresAt":"20","vaultId":"01","customer":{"externalId":"","namespace":"default"}}` +
    `{"id":"evt_","object":"event","type":"payment_request.created","created":1,"livemode":true,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_","status":"open","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"polygon","payToAddress":"0x","vaultId":"01","customer":{"externalId":"","namespace":"default"},"checkoutSessionId":"cs_","product":{"slug":"","name":"","externalSkuId":""},"externalReference":null,"metadata":{"customerExternalId":"","customerNamespace":"default","checkoutSessionId":"cs_"},"expiresAt":"20","requestCreatedAt":"20","paidAt":null,"txHash":null,"method":null,"payer":null,"settlement":null,"checkoutUrl":"https:///pay/pr_"},"version":1}}` +
    `{"id":"evt_","object":"event","type":"payment_request.paid","created":1,"livemode":false,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_","status":"paid","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"base","payToAddress":"0x","vaultId":"01","customer":null,"checkoutSessionId":null,"product":null,"externalReference":"","metadata":{},"expiresAt":"20","requestCreatedAt":"20","paidAt":"20","txHash":"0x","method":"direct","payer":{"address":"0x","method":"checkout"},"settlement":{"txHash":"0x","settledAt":"20","method":"direct"}},"version":2}}`
)

/** The same as they stand between the marks of values, and what a payment request says. */
const words = Buffer.from(
  `{"proposalId":"\u0001","kind":"send","status":"pending_confirm","message":"","intentHash":"","summary":"Send USDC to ","expiresAt":"\u0007","policyRevision":0,"takesPasskey":false,"chainId":"base","recipientId":"\u0001","fromWalletId":"\u0001","walletId":"","toWalletId":"","amountUsdc":"","feeUsd":"0.00","txHashes":[],"outcome":"executed","createdAt":"\u0007","updatedAt":"\u0009$"}` +
    `{"checkoutSessionId":"cs_\u0006","checkoutUrl":"https:///pay/pr_\u0005","pid":"pr_\u0009!","id":"\u0001","paymentUrl":"https:///pay/pr_\u0009!","qrPayload":"ethereum:0x@8453/transfer?address=\u0004&uint256=000000","payToAddress":"\u0009#","chainId":"base","amountUsd":".00","amountSmallestUnit":"000000","status":"open","description":null,"expiresAt":"\u0007","vaultId":"\u0001","customer":{"externalId":"","namespace":"default"}}` +
    `{"id":"evt_\u0006","object":"event","type":"payment_request.created","created":\u0008,"livemode":true,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_\u0005","status":"open","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"polygon","payToAddress":"\u0004","vaultId":"\u0001","customer":{"externalId":"","namespace":"default"},"checkoutSessionId":"cs_\u0006","product":{"slug":"","name":"","externalSkuId":""},"externalReference":null,"metadata":{"customerExternalId":"","customerNamespace":"default","checkoutSessionId":"cs_\u0009%"},"expiresAt":"\u0007","requestCreatedAt":"\u0007","paidAt":null,"txHash":null,"method":null,"payer":null,"settlement":null,"checkoutUrl":"https:///pay/pr_\u0009""},"version":1}}` +
    `{"id":"evt_\u0006","object":"event","type":"payment_request.paid","created":\u0008,"livemode":false,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_\u0005","status":"paid","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"base","payToAddress":"\u0004","vaultId":"\u0001","customer":null,"checkoutSessionId":null,"product":null,"externalReference":"","metadata":{},"expiresAt":"\u0007","requestCreatedAt":"\u0007","paidAt":"\u0007","txHash":"\u0002","method":"direct","payer":{"address":"\u0004","method":"direct"},"settlement":{"txHash":"\u0009(","settledAt":"\u0009'","method":"direct"}},"version":2}}` +
    `{"id":"evt_\u0006","object":"event","type":"payment_request.paid","created":\u0008,"livemode":true,"api_version":"2026-08-19","data":{"object":{"paymentRequestPid":"pr_\u0005","status":"paid","amountUsd":".00","amountSmallestUnit":"000000","assetSymbol":"USDC","tokenDecimals":6,"chainId":"base","payToAddress":"\u0004","vaultId":"\u0001","customer":{"externalId":"","namespace":"default"},"checkoutSessionId":"cs_\u0006","product":{"slug":"","name":"","externalSkuId":""},"externalReference":null,"metadata":{"customerExternalId":"","customerNamespace":"default","checkoutSessionId":"cs_\u0009%"},"expiresAt":"\u0007","requestCreatedAt":"\u0007","paidAt":"\u0007","txHash":"\u0002","method":"checkout","payer":{"address":"\u0004","method":"checkout"},"settlement":{"txHash":"\u0009)","settledAt":"\u0009(","method":"checkout"}},"version":2}}` +
    `{"metadata":{"customerExternalId":"","customerNamespace":"default","checkoutSessionId":"cs_\u0006"},"customer":{"externalId":"","namespace":"default"},"product":{"slug":"","name":"","externalSkuId":""},"checkoutSessionId":"cs_\u0009 ","successUrl":"https://","cancelUrl":"https://"}`
)

/** The first byte says how the rest is kept. */
const plain = 0
const firstDeflated = 1
const deflated = 2

/** As much as it takes for texts of a few thousand letters; node makes a buffer of `chunkSize` anew for each. */
const effort = { dictionary: words, level: 9, memLevel: 8, windowBits: 13, chunkSize: 1024 }

/** Two bytes say how long the values are, which come before the deflated rest. */
const lengthSize = 2

const deflate = (text: string): Uint8Array | undefined => {
  const taken = takeOut(text)
  if (taken === undefined) return undefined
  const length = Buffer.alloc(lengthSize)
  length.writeUInt16BE(taken.values.length)
  const rest = deflateRawSync(Buffer.from(taken.marked), effort)
  return Buffer.concat([Buffer.of(deflated), length, taken.values, rest])
}

const inflate = (rest: Uint8Array): string => {
  const from = lengthSize + Buffer.from(rest.subarray(0, lengthSize)).readUInt16BE()
  const marked = inflateRawSync(rest.subarray(from), { dictionary: words }).toString()
  return putBack(marked, rest.subarray(lengthSize, from))
}

export const pack = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  const packed = deflate(text)
  return packed !== undefined && packed.length <= bytes.length
    ? packed
    : Buffer.concat([Buffer.of(plain), bytes])
}

export const unpack = (kept: Uint8Array): string => {
  const rest = kept.subarray(1)
  if (kept[0] === deflated) return inflate(rest)
  if (kept[0] === plain) return Buffer.from(rest).toString()
  if (kept[0] === firstDeflated) return inflateRawSync(rest, { dictionary: firstWords }).toString()
  throw new Error("A text is packed in a way that this version does not know")
}
