/** Books for beancount, which says with `bean-check` whether opening and movements come to what the chains have. */
import { DateTime } from "effect"
import * as Chart from "./chart.ts"
import {
  amountOf,
  closingOf,
  type Entry,
  entryOf,
  openingOf,
  outlayEntries,
  type Posting
} from "./entry.ts"
import { dayOf } from "./explain.ts"
import { type Format, line } from "./format.ts"
import type { Statement } from "./statement.ts"

const quantity = (posting: Posting): string => `${amountOf(posting)} ${posting.commodity}`

const written = ({ at, payee, postings, tags, text }: Entry): string => {
  const head = `${dayOf(at)} * "${line(payee)}" "${line(text)}"`
  const notes = tags.map(([name, each]) => `  ${name}: "${line(each)}"`)
  const lines = postings.map((each) => `  ${each.account}  ${quantity(each)}`)
  return `${[head, ...notes, ...lines].join("\n")}\n\n`
}

/** A balance is of the beginning of its day: the first one after the period. */
const dayAfter = ({ period }: Statement): string =>
  dayOf(DateTime.add(DateTime.subtract(period.to, { milliseconds: 1 }), { days: 1 }))

const accountsOf = (statement: Statement): ReadonlyArray<string> => [
  ...new Set([
    ...statement.held.map(({ wallet }) => Chart.walletAccount(wallet)),
    ...["cctp", "dln"].map(Chart.transitAccount),
    ...Object.values(Chart.otherAccount),
    Chart.openingAccount,
    Chart.tradeFees,
    Chart.bridgeFees,
    ...statement.outlay.flatMap(({ chainId }) => [
      Chart.networkFees(chainId),
      Chart.relayerAccount(chainId)
    ])
  ])
]

export const beancount = (statement: Statement): Format => {
  const commodityOf = Chart.commodities(statement)
  const from = dayOf(statement.period.from)
  return {
    head: () =>
      [
        `option "title" "${line(statement.account.name)}"\n\n`,
        ...accountsOf(statement).map((name) => `${from} open ${name}\n`),
        "\n",
        written(openingOf(statement, commodityOf)),
        ...outlayEntries(statement).map(written)
      ].join(""),
    movement: (movement) => written(entryOf(movement, commodityOf)),
    tail: (_, isActive) =>
      closingOf(statement, commodityOf, isActive)
        .map(
          (each) =>
            `${dayAfter(statement)} balance ${each.account}  ${amountOf(each)} ~ 0 ${each.commodity}\n`
        )
        .join("")
  }
}
