/**
 * Books as a table: a line for each opening, each movement, each day of the relayer's outlay and each closing. Of one
 * account and token, opening and movements come to the closing; a bridge's movement is a line of its wallet, and one of
 * what is in transit.
 */
import { DateTime } from "effect"
import * as Coin from "../chains/coin.ts"
import * as Usd from "../money/usd.ts"
import { transitAccount, walletAccount } from "./chart.ts"
import { counterpartyOf } from "./explain.ts"
import type { Format } from "./format.ts"
import type { Movement } from "./movement.ts"
import { shownAddress } from "./shown.ts"
import { type Held, type InTransit, type Statement, shownUnits } from "./statement.ts"

const columns = [
  "time",
  "kind",
  "account",
  "chain",
  "walletId",
  "token",
  "tokenAddress",
  "amount",
  "amountSmallestUnit",
  "usd",
  "fee",
  "counterparty",
  "transaction",
  "log",
  "block",
  "proposalId",
  "pid",
  "depositId",
  "externalReference",
  "customer",
  "description"
] as const
type Row = Partial<Record<(typeof columns)[number], string | number | null | undefined>>

/** A spreadsheet takes text that begins like a formula for one. */
const cell = (value: string | number | null | undefined): string => {
  const text = value === null || value === undefined ? "" : String(value)
  const isNumber = /^-?\d+(\.\d+)?$/u.test(text)
  const safe = !isNumber && /^[=+\-@\t\r\n]/u.test(text) ? `'${text}` : text
  return /[",\n\r]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const written = (row: Row): string => `${columns.map((name) => cell(row[name])).join(",")}\r\n`

const time = (at: DateTime.Utc): string => DateTime.formatIso(at)

const balance = (
  kind: "opening" | "closing",
  at: DateTime.Utc,
  each: Held | InTransit,
  block: number | undefined
): string => {
  const units = kind === "opening" ? each.openingUnits : each.closingUnits
  const { token } = each
  return written({
    time: time(at),
    kind,
    account: "wallet" in each ? walletAccount(each.wallet) : transitAccount(each.protocol),
    chain: "wallet" in each ? token.chainId : null,
    walletId: "wallet" in each ? each.wallet.id : null,
    token: token.symbol,
    tokenAddress: shownAddress(token.chainId, token.address),
    amount: shownUnits(units, token),
    amountSmallestUnit: String(units),
    usd: token.isUsdc ? Usd.format(units) : null,
    block
  })
}

/** What a movement of a bridge does to what is in transit, in a line of its own. */
const throughTransit = ({ kind, log, proposalId, text, transit }: Movement): string => {
  if (transit === null) return ""
  const { protocol, token, units } = transit
  return written({
    time: time(log.at),
    kind,
    account: transitAccount(protocol),
    token: token.symbol,
    tokenAddress: shownAddress(token.chainId, token.address),
    amount: shownUnits(units, token),
    amountSmallestUnit: String(units),
    usd: token.isUsdc ? `${units < 0n ? "-" : ""}${Usd.format(units < 0n ? -units : units)}` : null,
    transaction: log.txHash,
    proposalId,
    description: text
  })
}

const movement = (each: Movement): string => {
  const { feeUnits, kind, log, token, wallet, worthMicro } = each
  const sign = log.units < 0n ? "-" : ""
  return written({
    time: time(log.at),
    kind,
    account: walletAccount(wallet),
    chain: wallet.chainId,
    walletId: wallet.id,
    token: token.symbol,
    tokenAddress: shownAddress(wallet.chainId, token.address),
    amount: shownUnits(log.units, token),
    amountSmallestUnit: String(log.units),
    usd: worthMicro === undefined ? null : `${sign}${Usd.format(worthMicro)}`,
    fee: feeUnits === 0n ? null : shownUnits(feeUnits, token),
    counterparty: counterpartyOf(each),
    transaction: log.txHash,
    log: log.logIndex,
    block: log.blockNumber,
    proposalId: each.proposalId,
    pid: each.pid,
    depositId: each.depositId,
    externalReference: each.externalReference,
    customer: each.customer,
    description: each.text
  })
}

const outlay = ({ outlay }: Statement): string =>
  outlay
    .map(({ chainId, day, units }) => {
      const coin = Coin.of(chainId)
      return written({
        time: `${day}T00:00:00.000Z`,
        kind: "outlay",
        account: "Relayer",
        chain: chainId,
        token: coin.symbol,
        amount: `-${shownUnits(units, coin)}`,
        amountSmallestUnit: `-${units}`,
        description: "Network fees of the day that the relayer paid, at most"
      })
    })
    .join("")

export const csv = (statement: Statement): Format => {
  const endsOf = (chainId: string) => statement.chains.find((each) => each.chainId === chainId)
  return {
    head: () =>
      [
        `${columns.join(",")}\r\n`,
        ...statement.held
          .filter(({ openingUnits }) => openingUnits !== 0n)
          .map((each) =>
            balance(
              "opening",
              statement.period.from,
              each,
              endsOf(each.token.chainId)?.opening.number
            )
          ),
        ...statement.inTransit.map((each) =>
          balance("opening", statement.period.from, each, undefined)
        ),
        outlay(statement)
      ].join(""),
    movement: (each) => movement(each) + throughTransit(each),
    tail: (_, isActive) =>
      [
        ...statement.held
          .filter(isActive)
          .map((each) =>
            balance(
              "closing",
              statement.period.to,
              each,
              endsOf(each.token.chainId)?.closing.number
            )
          ),
        ...statement.inTransit.map((each) =>
          balance("closing", statement.period.to, each, undefined)
        )
      ].join("")
  }
}
