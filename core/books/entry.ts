/**
 * Entries of double-entry books: postings that come to zero in each commodity. Whatever format they are written in,
 * they are made here, and an entry that does not balance is a defect.
 */
import { DateTime } from "effect"
import * as Coin from "../chains/coin.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import * as Chart from "./chart.ts"
import { counterpartyOf } from "./explain.ts"
import type { Movement } from "./movement.ts"
import type { Held, Statement } from "./statement.ts"

export interface Posting {
  readonly account: string
  readonly units: bigint
  readonly decimals: number
  readonly commodity: string
}

export interface Entry {
  readonly at: DateTime.Utc
  readonly payee: string
  readonly text: string
  readonly postings: ReadonlyArray<Posting>
  readonly tags: ReadonlyArray<readonly [name: string, value: string]>
}

export type Commodity = ReturnType<typeof Chart.commodities>

export const amountOf = ({ decimals, units }: Pick<Posting, "units" | "decimals">): string =>
  Decimal.format({ units, places: decimals }, Math.min(2, decimals))

const balanced = (entry: Entry): Entry => {
  const sums = new Map<string, bigint>()
  for (const { commodity, decimals, units } of entry.postings) {
    // Tokens of one commodity may have other decimals on another chain.
    const fine = units * 10n ** BigInt(40 - decimals)
    sums.set(commodity, (sums.get(commodity) ?? 0n) + fine)
  }
  for (const [commodity, sum] of sums) {
    if (sum !== 0n) throw new Error(`An entry does not balance in ${commodity}.`)
  }
  return { ...entry, postings: entry.postings.filter(({ units }) => units !== 0n) }
}

/** The other half of a bridge's movement: what is in transit, and what did not come through. */
const throughTransit = (movement: Movement, commodityOf: Commodity): ReadonlyArray<Posting> => {
  const { kind, log, token, transit } = movement
  if (transit === null) return []
  const own = { decimals: token.decimals, commodity: commodityOf(token) }
  const sold = { decimals: transit.token.decimals, commodity: commodityOf(transit.token) }
  const account = Chart.transitAccount(transit.protocol)
  const inTransit: Posting = { ...sold, account, units: transit.units }
  if (kind === "bridge_out") return [inTransit]
  if (own.commodity === sold.commodity && own.decimals === sold.decimals) {
    const units = -transit.units - log.units
    return [inTransit, { ...own, account: Chart.bridgeFees, units }]
  }
  const trade = Chart.otherAccount[kind]
  return [
    inTransit,
    { ...sold, account: trade, units: -transit.units },
    { ...own, account: trade, units: -log.units }
  ]
}

const tagsOf = (movement: Movement): Entry["tags"] => {
  const { customer, depositId, externalReference, kind, log, pid, proposalId, wallet } = movement
  const { worthMicro } = movement
  const all: ReadonlyArray<readonly [string, string | null]> = [
    ["kind", kind],
    ["chain", wallet.chainId],
    ["tx", log.txHash],
    ["log", String(log.logIndex)],
    ["usd", worthMicro === undefined ? null : Usd.format(worthMicro)],
    ["proposal", proposalId],
    ["request", pid],
    ["deposit", depositId],
    ["reference", externalReference],
    ["customer", customer]
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

export const entryOf = (movement: Movement, commodityOf: Commodity): Entry => {
  const { feeUnits, kind, log, text, token, wallet } = movement
  const own = { decimals: token.decimals, commodity: commodityOf(token) }
  const other =
    movement.transit === null
      ? [
          { ...own, account: Chart.tradeFees, units: feeUnits },
          { ...own, account: Chart.otherAccount[kind], units: -log.units - feeUnits }
        ]
      : throughTransit(movement, commodityOf)
  return balanced({
    at: log.at,
    payee: counterpartyOf(movement),
    text,
    postings: [{ ...own, account: Chart.walletAccount(wallet), units: log.units }, ...other],
    tags: tagsOf(movement)
  })
}

/** What everything had before the period, against the account of openings. */
export const openingOf = (statement: Statement, commodityOf: Commodity): Entry => {
  const wallets = statement.held.map(
    ({ openingUnits, token, wallet }): Posting => ({
      account: Chart.walletAccount(wallet),
      units: openingUnits,
      decimals: token.decimals,
      commodity: commodityOf(token)
    })
  )
  const transit = statement.inTransit.map(
    ({ openingUnits, protocol, token }): Posting => ({
      account: Chart.transitAccount(protocol),
      units: openingUnits,
      decimals: token.decimals,
      commodity: commodityOf(token)
    })
  )
  const postings = [...wallets, ...transit].filter(({ units }) => units !== 0n)
  const against = postings.map((each) => ({
    ...each,
    account: Chart.openingAccount,
    units: -each.units
  }))
  return balanced({
    at: statement.period.from,
    payee: "",
    text: "Opening balances, as the chains tell them",
    postings: [...postings, ...against],
    tags: []
  })
}

/** What the relayer laid out for the account in the coins of chains, at most. */
export const outlayEntries = ({ outlay }: Statement): ReadonlyArray<Entry> =>
  outlay.map(({ chainId, day, units }) => {
    const coin = Coin.of(chainId)
    const amount = { decimals: coin.decimals, commodity: Chart.coinCommodity(coin.symbol) }
    return balanced({
      at: DateTime.makeUnsafe(`${day}T00:00:00Z`),
      payee: "Relayer",
      text: "Network fees of the day that the relayer paid, at most",
      postings: [
        { ...amount, account: Chart.networkFees(chainId), units },
        { ...amount, account: Chart.relayerAccount(chainId), units: -units }
      ],
      tags: [
        ["kind", "outlay"],
        ["chain", chainId]
      ]
    })
  })

/** What each wallet and what is in transit must come to at the end. */
export const closingOf = (
  statement: Statement,
  commodityOf: Commodity,
  active: (each: Held) => boolean
): ReadonlyArray<Posting> => {
  const wallets = statement.held.filter(active).map(({ closingUnits, token, wallet }) => ({
    account: Chart.walletAccount(wallet),
    units: closingUnits,
    decimals: token.decimals,
    commodity: commodityOf(token)
  }))
  const transit = statement.inTransit.map(({ closingUnits, protocol, token }) => ({
    account: Chart.transitAccount(protocol),
    units: closingUnits,
    decimals: token.decimals,
    commodity: commodityOf(token)
  }))
  return [...wallets, ...transit]
}
