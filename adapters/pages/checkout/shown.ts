/**
 * What the checkout page shows of a payment request, as plain JSON: the server renders it, and sends it
 * again whenever it changes. Every sum is written here, so that a browser calculates with no money.
 */
import { createHash } from "node:crypto"
import * as Logo from "../../../core/accounts/logo.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import type { CameLate } from "../../../core/payments/came-late.ts"
import type { PublicRequest } from "../../../core/payments/public.ts"
import type { Status } from "../../../core/payments/status.ts"
import type { Resolution } from "../../../core/payments/transfer.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import { type QrCode, qrCode } from "./qr-code.ts"

/** How to send what is still due. */
export interface Payable {
  /** `1,250.50` */
  readonly amount: string
  readonly address: string
  /** EIP-681 on EVM, or the bare address. */
  readonly uri: string
  /** The address with its amount opens in a wallet app. */
  readonly opensWallet: boolean
  readonly qr: QrCode
  /** An injected wallet can be handed the call. */
  readonly takesCall: boolean
  /** The service itself pays it, with money that is worth nothing. */
  readonly takesTrial: boolean
}

export interface Receipt {
  readonly txHash: string
  readonly url: string | null
  /** ISO 8601; null until it is paid. */
  readonly paidAt: string | null
  readonly chainName: string
}

/** Money that came for a request that had ended, was too little of it, or came once it was paid. */
export interface Arrival {
  /** Two may be of one transaction. */
  readonly id: string
  readonly amount: string
  readonly txHash: string
  readonly url: string | null
  /** Too late, in time but too little, or once more what was paid already. */
  readonly issue: CameLate["issue"]
  /** What its merchant made of it. */
  readonly fate: "undecided" | "counted" | "returned" | "ignored"
}

export interface Picture {
  /** On this site: a payer's browser asks nobody else. */
  readonly url: string
  readonly width: number
  readonly height: number
}

export interface CheckoutView {
  readonly pid: string
  readonly status: Status
  readonly merchant: string
  readonly logo: Picture | null
  /** Its money is not real. */
  readonly isTest: boolean
  readonly product: string | null
  readonly description: string | null
  readonly amount: string
  readonly received: string
  readonly symbol: string
  readonly chainName: string
  /** Where wallets sign whole transactions, the chain as these name it; null elsewhere. */
  readonly walletChain: string | null
  readonly payable: Payable | null
  /** Of the newest transfer that is not final yet. */
  readonly confirmations: { readonly seen: number; readonly needed: number } | null
  readonly receipt: Receipt | null
  readonly arrivals: ReadonlyArray<Arrival>
  /** The page is followed as it changes. */
  readonly isFollowed: boolean
  /** More came than was asked. */
  readonly overpaid: boolean
  /** ISO 8601. */
  readonly expiresAt: string
  /** Where the merchant wants the payer back, now. */
  readonly back: string | null
}

/** `1250.5` is `1,250.50`. */
export const grouped = (micro: bigint): string => {
  const [whole = "", fraction = ""] = Usdc.format(micro).split(".")
  return `${whole.replace(/\B(?=(\d{3})+$)/gu, ",")}.${fraction}`
}

const payableOf = (request: PublicRequest, takesTrial: boolean): Payable | null =>
  request.dueUri === null
    ? null
    : {
        amount: grouped(request.dueMicro),
        address: request.payToAddress,
        uri: request.dueUri,
        opensWallet: request.dueUri !== request.payToAddress,
        qr: qrCode(request.dueUri),
        takesCall: request.call !== null,
        takesTrial
      }

const confirmationsOf = ({ status, attempts, confirmationsNeeded }: PublicRequest) => {
  if (status !== "processing" || confirmationsNeeded === null) return null
  const waiting = attempts.filter((each) => each.status === "seen" || each.status === "confirmed")
  // What is final has them all, for the moment until the request is settled by it.
  const isFinal = waiting.length === 0 && attempts.some((each) => each.status === "final")
  const seen = isFinal ? confirmationsNeeded : waiting.at(-1)?.confirmations
  return seen === undefined
    ? null
    : { seen: Math.min(seen, confirmationsNeeded), needed: confirmationsNeeded }
}

const fates = {
  accepted: "counted",
  attached: "counted",
  ignored: "ignored",
  refunded: "returned",
  own_transfer: "ignored"
} as const satisfies Record<Resolution, Arrival["fate"]>

const arrivalsOf = ({ cameLate }: PublicRequest): ReadonlyArray<Arrival> =>
  cameLate.map(({ amountMicro, id, issue, resolution, transactionUrl, txHash }) => ({
    id,
    amount: grouped(amountMicro),
    txHash,
    url: transactionUrl,
    issue,
    fate: resolution === null ? "undecided" : fates[resolution]
  }))

/** What came late, or was too little, is told by itself; what paid has a receipt. */
const receiptOf = (request: PublicRequest): Receipt | null => {
  const { cameLate, chainName, paidAt, status, transactionUrl, txHash } = request
  return txHash === null || (cameLate.length > 0 && status !== "paid")
    ? null
    : {
        txHash,
        url: transactionUrl,
        paidAt: paidAt === null ? null : Timestamp.format(paidAt),
        chainName
      }
}

/** Names a picture in its address, which changes with it, so that browsers may keep what it leads to. */
export const pictureName = ({ bytes }: Pick<Logo.Logo, "bytes">): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 16)

const logoOf = ({ logoUrl, pid }: PublicRequest): Picture | null => {
  const logo = logoUrl === null ? undefined : Logo.ofDataUrl(logoUrl)
  if (logo === undefined) return null
  return {
    url: `/pay/${pid}/logo?${pictureName(logo)}`,
    width: logo.width,
    height: logo.height
  }
}

/** Once paid there is no way to cancel, and before that none to have succeeded. */
const backOf = ({ status, successUrl, cancelUrl }: PublicRequest) =>
  status === "paid" ? successUrl : status === "processing" ? null : cancelUrl

/** `takesTrial` where the service can pay it with money that is worth nothing. */
export const shownOf = (request: PublicRequest, takesTrial: boolean): CheckoutView => ({
  pid: request.pid,
  status: request.status,
  merchant: request.merchant,
  logo: logoOf(request),
  isTest: !request.livemode,
  product: request.product?.name ?? null,
  description: request.description,
  amount: grouped(request.amountSmallestUnit),
  received: grouped(request.amountReceivedSmallestUnit),
  symbol: request.assetSymbol,
  chainName: request.chainName,
  walletChain: request.walletChain,
  payable: payableOf(request, takesTrial),
  confirmations: confirmationsOf(request),
  receipt: receiptOf(request),
  arrivals: arrivalsOf(request),
  isFollowed: request.mayChange,
  overpaid: request.settlementIssue === "overpaid",
  expiresAt: Timestamp.format(request.expiresAt),
  back: backOf(request)
})

/** Names what is shown: the same on every process, and another as soon as anything differs. */
export const versionOf = (shown: CheckoutView): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 16)
