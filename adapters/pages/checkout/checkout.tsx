/**
 * The checkout page's content, rendered on the server and kept up to date in the browser from the same
 * facts. Whatever a merchant wrote stands as text, isolated from the direction of what is around it.
 */
import type { Status } from "../../../core/payments/status.ts"
import { Expiry, minuteOf } from "./expiry.tsx"
import { HowToPay } from "./how-to-pay.tsx"
import type { Live } from "./live.ts"
import type { CheckoutView, Receipt } from "./shown.ts"

interface Props {
  readonly shown: CheckoutView
  readonly live: Live | undefined
}

const headlines: Readonly<Record<Status, string>> = {
  open: "Waiting for payment",
  processing: "Payment detected",
  partially_paid: "Partly paid",
  paid: "Paid",
  expired: "This payment request has expired",
  cancelled: "This payment request was cancelled"
}

const explanations: Readonly<Partial<Record<Status, string>>> = {
  expired: "Do not send money to this address. Ask the merchant for a new payment request.",
  cancelled: "Do not send money to this address. Contact the merchant if you think this is wrong."
}

const stepOf: Readonly<Record<Status, number>> = {
  open: 0,
  partially_paid: 0,
  processing: 1,
  paid: 3,
  expired: -1,
  cancelled: -1
}

const Steps = ({ status }: { readonly status: Status }) => {
  const at = stepOf[status]
  if (at < 0) return null
  return (
    <ol class="steps" aria-label="Progress">
      {["Send", "Confirm", "Done"].map((name, index) => (
        <li
          key={name}
          class={index < at ? "done" : index === at ? "now" : "later"}
          aria-current={index === at ? "step" : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  )
}

const detailOf = ({ status, received, payable, confirmations, symbol, overpaid }: CheckoutView) => {
  if (status === "partially_paid" && payable !== null) {
    return `${received} ${symbol} received, ${payable.amount} ${symbol} missing`
  }
  if (confirmations !== null) {
    return `${confirmations.seen} of ${confirmations.needed} confirmations`
  }
  if (status === "paid" && overpaid)
    return `${received} ${symbol} received, more than the requested amount`
  return explanations[status]
}

const Standing = ({ shown }: { readonly shown: CheckoutView }) => {
  const detail = detailOf(shown)
  const { confirmations } = shown
  return (
    <div class="standing" role="status">
      <p class="headline">
        <span class="dot" aria-hidden="true" />
        {headlines[shown.status]}
      </p>
      {detail !== undefined && <p class="detail">{detail}</p>}
      {confirmations !== null && (
        <progress
          aria-label="Confirmations"
          value={confirmations.seen}
          max={confirmations.needed}
        />
      )}
    </div>
  )
}

const Receipted = ({ receipt }: { readonly receipt: Receipt }) => (
  <dl class="facts">
    {receipt.paidAt !== null && (
      <div>
        <dt>Paid at</dt>
        <dd>
          <time dateTime={receipt.paidAt}>{minuteOf(receipt.paidAt)}</time>
        </dd>
      </div>
    )}
    <div>
      <dt>Transaction</dt>
      <dd>
        {receipt.url === null ? (
          <code>{receipt.txHash}</code>
        ) : (
          <a href={receipt.url} rel="noreferrer">
            <code>{receipt.txHash}</code>
          </a>
        )}
      </dd>
    </div>
  </dl>
)

const connections: Readonly<Record<Live["connection"], string>> = {
  connecting: "Connecting…",
  live: "Updates automatically",
  lost: "Connection lost, trying again…"
}

const Back = ({ shown }: { readonly shown: CheckoutView }) =>
  shown.back === null ? null : (
    <p>
      <a class={shown.status === "paid" ? "main" : "soft"} href={shown.back}>
        <span>
          {shown.status === "paid" ? "Return to" : "Go back to"} <bdi>{shown.merchant}</bdi>
        </span>
      </a>
    </p>
  )

export const isFinal = (status: Status): boolean =>
  status === "paid" || status === "expired" || status === "cancelled"

/** From the instant of its expiry on a request is not paid any more, whenever the chain says so. */
const isTimeUp = ({ shown, live }: Props) =>
  live !== undefined && Date.parse(shown.expiresAt) <= live.nowMs

export const Checkout = ({ shown, live }: Props) => (
  <main class={`card ${shown.status}`}>
    <header>
      <p class="soft">
        <bdi>{shown.merchant}</bdi>
      </p>
      <h1>
        {shown.amount} <span class="symbol">{shown.symbol}</span>
      </h1>
      {shown.product !== null && (
        <p class="what">
          <bdi>{shown.product}</bdi>
        </p>
      )}
      {shown.description !== null && (
        <p class={shown.product === null ? "what" : "what soft"}>
          <bdi>{shown.description}</bdi>
        </p>
      )}
    </header>
    <Steps status={shown.status} />
    <Standing shown={shown} />
    {shown.payable !== null && !isTimeUp({ shown, live }) && (
      <HowToPay shown={shown} payable={shown.payable} live={live} />
    )}
    <p class="note" role="alert">
      {live?.note}
    </p>
    {shown.receipt !== null && <Receipted receipt={shown.receipt} />}
    <footer>
      {!isFinal(shown.status) && <Expiry shown={shown} live={live} />}
      <Back shown={shown} />
      {live !== undefined && !isFinal(shown.status) && (
        <p class="soft" aria-hidden="true">
          {connections[live.connection]}
        </p>
      )}
    </footer>
  </main>
)

export const Missing = () => (
  <main class="card">
    <h1>Nothing here</h1>
    <p>There is no payment request at this link. Ask the sender for a new one.</p>
  </main>
)
