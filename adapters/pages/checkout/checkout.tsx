/**
 * The checkout page's content, rendered on the server and kept up to date in the browser from the same
 * facts. Whatever a merchant wrote stands as text, isolated from the direction of what is around it.
 */
import type { Status } from "../../../core/payments/status.ts"
import { Arrivals, Transaction } from "./arrivals.tsx"
import { Expiry } from "./expiry.tsx"
import { HowToPay } from "./how-to-pay.tsx"
import type { Live } from "./live.ts"
import { Moment } from "./moment.tsx"
import type { CheckoutView, Receipt } from "./shown.ts"
import { Filled } from "./words/filled.tsx"
import { filled, sumIn, type Words } from "./words/words.ts"

interface Props {
  readonly shown: CheckoutView
  readonly live: Live | undefined
  readonly words: Words
}

const headlines: Readonly<Record<Status, keyof Words>> = {
  open: "open",
  processing: "processing",
  partially_paid: "partlyPaid",
  paid: "paid",
  expired: "expired",
  cancelled: "cancelled"
}

const stepOf: Readonly<Record<Status, number>> = {
  open: 0,
  partially_paid: 0,
  processing: 1,
  paid: 3,
  expired: -1,
  cancelled: -1
}

interface StepsProps {
  readonly status: Status
  readonly words: Words
}

const Steps = ({ status, words }: StepsProps) => {
  const at = stepOf[status]
  if (at < 0) return null
  return (
    <ol class="steps" aria-label={words.progress}>
      {[words.send, words.confirm, words.done].map((name, index) => (
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

const detailOf = (
  { arrivals, status, received, payable, confirmations, symbol, overpaid }: CheckoutView,
  words: Words
) => {
  const sum = `${sumIn(received, words)} ${symbol}`
  if (payable !== null && (status === "partially_paid" || status === "processing")) {
    return filled(words.missing, {
      received: sum,
      due: `${sumIn(payable.amount, words)} ${symbol}`
    })
  }
  if (confirmations !== null) return filled(words.confirmationsSeen, confirmations)
  if (status === "paid" && overpaid) return filled(words.overpaid, { received: sum })
  if (arrivals.length > 0) return words.arrivedAdvice
  if (status === "expired") return words.expiredAdvice
  return status === "cancelled" ? words.cancelledAdvice : undefined
}

const Standing = ({ shown, words }: Omit<Props, "live">) => {
  const detail = detailOf(shown, words)
  const { confirmations } = shown
  return (
    <div class="standing" role="status">
      <p class="headline">
        <span class="dot" aria-hidden="true" />
        {words[headlines[shown.status]]}
      </p>
      {detail !== undefined && <p class="detail">{detail}</p>}
      <Arrivals shown={shown} words={words} />
      {confirmations !== null && (
        <progress
          aria-label={words.confirmations}
          value={confirmations.seen}
          max={confirmations.needed}
        />
      )}
    </div>
  )
}

interface ReceiptedProps {
  readonly receipt: Receipt
  readonly live: Live | undefined
  readonly words: Words
}

const Receipted = ({ receipt, live, words }: ReceiptedProps) => (
  <>
    <dl class="facts">
      {receipt.paidAt !== null && (
        <>
          <div>
            <dt>{words.paidAt}</dt>
            <dd>
              <Moment instant={receipt.paidAt} live={live} />
            </dd>
          </div>
          <div>
            <dt>{words.network}</dt>
            <dd>{receipt.chainName}</dd>
          </div>
        </>
      )}
      <div>
        <dt>{words.transaction}</dt>
        <dd>
          <Transaction txHash={receipt.txHash} url={receipt.url} />
        </dd>
      </div>
    </dl>
    {live !== undefined && receipt.paidAt !== null && (
      <p class="unprinted">
        <button type="button" class="copy" onClick={live.print}>
          {words.printReceipt}
        </button>
      </p>
    )}
  </>
)

const Back = ({ shown, words }: Omit<Props, "live">) =>
  shown.back === null ? null : (
    <p class="unprinted">
      <a class={shown.status === "paid" ? "main" : "soft"} href={shown.back}>
        <span>
          <Filled
            text={shown.status === "paid" ? words.returnTo : words.goBackTo}
            values={{ merchant: <bdi>{shown.merchant}</bdi> }}
          />
        </span>
      </a>
    </p>
  )

export const isFinal = (status: Status): boolean =>
  status === "paid" || status === "expired" || status === "cancelled"

/** From the instant of its expiry on a request is not paid any more, whenever the chain says so. */
const isTimeUp = ({ shown, live }: Omit<Props, "words">) =>
  live !== undefined && Date.parse(shown.expiresAt) <= live.nowMs

/** While money is on its way there is nothing to hurry for, unless some is missing. */
const mayExpire = ({ payable, status }: CheckoutView) =>
  !isFinal(status) && (status !== "processing" || payable !== null)

export const Checkout = ({ shown, live, words }: Props) => (
  <main class={`card branded ${shown.status}`}>
    {shown.isTest && <p class="badge">{words.testMode}</p>}
    <header>
      {shown.logo !== null && (
        <img
          class="logo"
          src={shown.logo.url}
          alt=""
          width={shown.logo.width}
          height={shown.logo.height}
        />
      )}
      <p class="soft">
        <bdi>{shown.merchant}</bdi>
      </p>
      <h1>
        {sumIn(shown.amount, words)} <span class="symbol">{shown.symbol}</span>
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
    <Steps status={shown.status} words={words} />
    <Standing shown={shown} words={words} />
    {shown.payable !== null && !isTimeUp({ shown, live }) && (
      <HowToPay shown={shown} payable={shown.payable} live={live} words={words} />
    )}
    <p class="note" role="alert">
      {live?.note}
    </p>
    {shown.receipt !== null && <Receipted receipt={shown.receipt} live={live} words={words} />}
    <footer>
      {mayExpire(shown) && <Expiry shown={shown} live={live} words={words} />}
      <Back shown={shown} words={words} />
      {live !== undefined && shown.isFollowed && (
        <p class="soft" aria-hidden="true">
          {words[live.connection]}
        </p>
      )}
    </footer>
  </main>
)

export const Missing = ({ words }: Pick<Props, "words">) => (
  <main class="card">
    <h1>{words.nothingHere}</h1>
    <p>{words.noRequest}</p>
  </main>
)
