/**
 * The statement of a period: what every wallet had of every listed token before it and after it, as the chains say,
 * and what was between two chains. Movements come in between, and must add up to the last unit.
 */
import { Data, DateTime } from "effect"
import type { Account } from "../accounts/account.ts"
import * as Decimal from "../money/decimal.ts"
import type { OutlaidDay } from "../policy/outlay-ledger.ts"
import type { Protocol } from "../ports/bridge.ts"
import type { PastBlock } from "../ports/token-history.ts"
import type { Pinned } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"

/** From its first instant on, and before the second. */
export interface Period {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

/**
 * The UTC days whose outlay stands in the books of a period, both included: those that begin in it. So a day that a
 * period ends in stands in one book, and periods that follow one another leave none out.
 */
export const daysOf = ({ from, to }: Period): { readonly first: string; readonly last: string } => {
  const begun = DateTime.startOf(from, "day")
  const first = DateTime.isLessThan(begun, from) ? DateTime.add(begun, { days: 1 }) : begun
  const last = DateTime.subtract(to, { milliseconds: 1 })
  return { first: DateTime.formatIsoDateUtc(first), last: DateTime.formatIsoDateUtc(last) }
}

/** A token of a wallet, at both ends. */
export interface Held {
  readonly wallet: Wallet
  readonly token: Pinned
  readonly openingUnits: bigint
  readonly closingUnits: bigint
}

/** What is between two chains, by bridge and token, at both ends. */
export interface InTransit {
  readonly protocol: Protocol
  readonly token: Pinned
  readonly openingUnits: bigint
  readonly closingUnits: bigint
}

export interface ChainEnds {
  readonly chainId: string
  readonly opening: PastBlock
  readonly closing: PastBlock
}

export interface Statement {
  readonly account: Account
  readonly period: Period
  readonly chains: ReadonlyArray<ChainEnds>
  /** Every wallet with every token of its chain. */
  readonly held: ReadonlyArray<Held>
  readonly inTransit: ReadonlyArray<InTransit>
  /** What the relayer laid out for the account, at most. */
  readonly outlay: ReadonlyArray<OutlaidDay>
}

export const heldKey = (walletId: string, token: string): string => `${walletId} ${token}`

export const transitKey = (protocol: string, symbol: string): string => `${protocol} ${symbol}`

export const shownUnits = (units: bigint, { decimals }: Pick<Pinned, "decimals">): string =>
  Decimal.format({ units, places: decimals }, Math.min(2, decimals))

/** Opening and movements come to something else than the chain says; nothing is made up to hide it. */
export class BooksDiffer extends Data.TaggedError("BooksDiffer")<{
  readonly what: string
  readonly computed: string
  readonly told: string
}> {
  override get message() {
    return `The books do not close: ${this.what} comes to ${this.computed} by its opening and its movements, and the chain says ${this.told}. The node has left transfers out; run it again, with another node if it happens again. Do not use this file.`
  }
}
