/**
 * The payment page as plain HTML: amount, address, QR code and how it stands. It works without any
 * script; while money may still come it loads itself again.
 */
import { DateTime } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import type { PublicRequest } from "../../core/payments/public.ts"
import { isPayable, type Status } from "../../core/payments/status.ts"
import { html, Markup, nothing } from "./markup.ts"
import { payStyle } from "./pay-style.ts"
import { qrCode } from "./qr-code.ts"

const refreshSeconds = 5

const headline = (request: PublicRequest): string => {
  const received = Usdc.format(request.amountReceivedSmallestUnit)
  const rest = Usdc.format(request.amountRemainingSmallestUnit)
  const lines: Readonly<Record<Status, string>> = {
    open: "Waiting for payment",
    processing: "Payment seen, waiting for confirmations",
    partially_paid: `Partly paid: ${received} received, ${rest} to go`,
    paid: "Paid",
    expired: "This request has expired",
    cancelled: "This request was cancelled"
  }
  return lines[request.status]
}

const stepOf: Readonly<Record<Status, number>> = {
  open: 0,
  partially_paid: 0,
  processing: 1,
  paid: 3,
  expired: -1,
  cancelled: -1
}

const steps = (status: Status): Markup => {
  const at = stepOf[status]
  if (at < 0) return nothing
  const items = ["Send", "Confirm", "Done"].map((name, index) => {
    const state = index < at ? "done" : index === at ? "now" : "later"
    return html`<li class="${state}">${name}</li>`
  })
  return html`<ol>${items}</ol>`
}

const grouped = (text: string) => text.replace(/\B(?=(\d{3})+(?!\d)(?=.*\.))/gu, ",")

const howToPay = (request: PublicRequest): Markup =>
  html`${qrCode(request.qrPayload, `QR code to pay ${Usdc.format(request.amountRemainingSmallestUnit)} USDC`)}
<dl>
<div><dt>Send exactly</dt><dd>${Usdc.format(request.amountRemainingSmallestUnit)} ${request.assetSymbol}</dd></div>
<div><dt>Network</dt><dd>${request.chainName}</dd></div>
<div><dt>Address</dt><dd><code>${request.payToAddress}</code></dd></div>
</dl>
<footer>
<p><a href="${request.qrPayload}">Open in a wallet app</a></p>
<p class="soft">Expires ${expiry(request)}</p>
<p class="soft">This page refreshes itself every ${refreshSeconds} seconds.</p>
</footer>`

const expiry = (request: PublicRequest) =>
  `${DateTime.formatIso(request.expiresAt).slice(0, 16).replace("T", " ")} UTC`

const receipt = (request: PublicRequest): Markup =>
  request.txHash === null
    ? nothing
    : html`<dl><div><dt>Transaction</dt><dd><code>${request.txHash}</code></dd></div></dl>`

const back = (request: PublicRequest): Markup => {
  const url = request.status === "paid" ? request.successUrl : request.cancelUrl
  return url === null
    ? nothing
    : html`<footer><p><a href="${url}">Back to ${request.merchant}</a></p></footer>`
}

const page = (title: string, refreshes: boolean, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refreshes ? html`<meta http-equiv="refresh" content="${refreshSeconds}">` : nothing}
<title>${title}</title>
<style>${new Markup(payStyle)}</style>
</head>
<body><main>${body}</main></body>
</html>`.text

export const payPage = (request: PublicRequest): string =>
  page(
    `${Usdc.format(request.amountSmallestUnit)} USDC to ${request.merchant}`,
    isPayable(request.status),
    html`<p class="soft">${request.merchant}</p>
<h1>${grouped(Usdc.format(request.amountSmallestUnit))} <span>${request.assetSymbol}</span></h1>
<p class="what">${request.description ?? request.product?.name ?? ""}</p>
${steps(request.status)}
<h2 class="${request.status}" role="status">${headline(request)}</h2>
${isPayable(request.status) ? howToPay(request) : html`${receipt(request)}${back(request)}`}`
  )

export const missingPage = (): string =>
  page(
    "No such payment request",
    false,
    html`<h1>Nothing here</h1><p>This link leads to no payment request. Ask whoever sent it to you.</p>`
  )
