/** Money that came for a request that takes none any more: what came, where it can be looked up, and what becomes of it. */
import type { Arrival, CheckoutView } from "./shown.ts"
import { filled, sumIn, type Words } from "./words/words.ts"

interface TransactionProps {
  readonly txHash: string
  readonly url: string | null
}

export const Transaction = ({ txHash, url }: TransactionProps) =>
  url === null ? (
    <code>{txHash}</code>
  ) : (
    <a href={url} rel="noreferrer">
      <code>{txHash}</code>
    </a>
  )

const fateWords: Readonly<Record<Arrival["fate"], keyof Words>> = {
  undecided: "merchantDecides",
  counted: "merchantCounted",
  returned: "merchantReturned",
  ignored: "merchantIgnored"
}

const issueWords: Readonly<Record<Arrival["issue"], keyof Words>> = {
  late: "arrivedLate",
  underpaid: "arrivedInPart",
  duplicate: "arrivedAgain"
}

interface Props {
  readonly shown: Pick<CheckoutView, "arrivals" | "symbol">
  readonly words: Words
}

/** Nothing where nothing came. */
export const Arrivals = ({ shown: { arrivals, symbol }, words }: Props) =>
  arrivals.map(({ amount, fate, id, issue, txHash, url }) => (
    <div key={id} class="arrival">
      <p>
        <strong>
          {filled(words[issueWords[issue]], {
            received: `${sumIn(amount, words)} ${symbol}`
          })}
        </strong>
      </p>
      <p>{words[fateWords[fate]]}</p>
      <dl class="facts">
        <div>
          <dt>{words.transaction}</dt>
          <dd>
            <Transaction txHash={txHash} url={url} />
          </dd>
        </div>
      </dl>
    </div>
  ))
