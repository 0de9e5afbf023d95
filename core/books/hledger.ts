/**
 * Books for hledger. Closings are balance assertions, so that `hledger check` itself says whether opening
 * and movements come to what the chains have.
 */
import { DateTime } from "effect"
import { beforeAll } from "../ports/token-history.ts"
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
import type { ChainEnds, Statement } from "./statement.ts"

const quantity = (posting: Posting): string => `${amountOf(posting)} "${posting.commodity}"`

/** A tag's value ends at a comma. */
const value = (text: string): string => line(text).replaceAll(",", " ")

const written = ({ at, payee, postings, tags, text }: Entry): string => {
  const description = [payee, text]
    .filter((each) => each !== "")
    .map(line)
    .join(" | ")
  const head = [`${dayOf(at)} * ${description}`.trimEnd()]
  const notes = tags.map(([name, each]) => `    ; ${name}: ${value(each)}`)
  const lines = postings.map((each) => `    ${each.account}  ${quantity(each)}`)
  return `${[...head, ...notes, ...lines].join("\n")}\n\n`
}

/** The last day of the period. */
const lastDay = ({ period }: Statement): string =>
  dayOf(DateTime.subtract(period.to, { milliseconds: 1 }))

const asserted = (statement: Statement, postings: ReadonlyArray<Posting>): string => {
  if (postings.length === 0) return ""
  const lines = postings.map(
    (each) => `    ${each.account}  0 "${each.commodity}" = ${quantity(each)}`
  )
  return `${lastDay(statement)} * Closing balances | as the chains tell them\n${lines.join("\n")}\n\n`
}

const declared = (statement: Statement, names: ReadonlyArray<string>): string =>
  [...new Set(names)]
    .toSorted()
    .map((name) => `account ${name}\n`)
    .join("") +
  `; ${statement.account.name === "" ? statement.account.id : line(statement.account.name)}\n`

/** An account that a movement may have been written on. */
const allAccounts = (statement: Statement): ReadonlyArray<string> => [
  ...statement.held.map(({ wallet }) => Chart.walletAccount(wallet)),
  ...["cctp", "dln"].map(Chart.transitAccount),
  ...statement.inTransit.map(({ protocol }) => Chart.transitAccount(protocol)),
  ...Object.values(Chart.otherAccount),
  Chart.openingAccount,
  Chart.tradeFees,
  Chart.bridgeFees,
  ...statement.outlay.flatMap(({ chainId }) => [
    Chart.networkFees(chainId),
    Chart.relayerAccount(chainId)
  ])
]

const commoditiesIn = (statement: Statement): string => {
  const commodityOf = Chart.commodities(statement)
  const decimals = new Map<string, number>()
  const add = (name: string, places: number) =>
    void decimals.set(name, Math.max(places, decimals.get(name) ?? 0))
  for (const { token } of statement.held) add(commodityOf(token), token.decimals)
  for (const { token } of statement.inTransit) add(commodityOf(token), token.decimals)
  for (const { postings } of outlayEntries(statement)) {
    for (const posting of postings) add(posting.commodity, posting.decimals)
  }
  return [...decimals]
    .map(([name, places]) => `commodity 1000.${"0".repeat(places)} "${name}"\n`)
    .join("")
}

/** Which blocks of a chain the period is. */
const blocksOf = ({ closing, opening }: ChainEnds): string =>
  closing.number === beforeAll
    ? "has no block yet"
    : opening.number === beforeAll
      ? `from its first block, through block ${closing.number}`
      : `above block ${opening.number}, through block ${closing.number}`

export const hledger = (statement: Statement): Format => {
  const commodityOf = Chart.commodities(statement)
  return {
    head: () =>
      [
        commoditiesIn(statement),
        declared(statement, allAccounts(statement)),
        "\n",
        statement.chains.map((ends) => `; ${ends.chainId}: ${blocksOf(ends)}\n`).join(""),
        "\n",
        written(openingOf(statement, commodityOf)),
        ...outlayEntries(statement).map(written)
      ].join(""),
    movement: (movement) => written(entryOf(movement, commodityOf)),
    tail: (_, isActive) => asserted(statement, closingOf(statement, commodityOf, isActive))
  }
}
