/**
 * What all wallets of an account hold, summed by token. A chain that was away for a part of it counts
 * nowhere and is named; a sum is never of some of its wallets and said to be of all.
 */
import { DateTime } from "effect"
import * as Usd from "../money/usd.ts"
import type * as Holding from "./holding.ts"
import type { Reading, WalletHolding } from "./read.ts"

export interface Totals {
  readonly tokens: ReadonlyMap<string, Holding.Holding>
  /** What is in yield vaults, by chain; a token in one is in no wallet, so that it counts once. */
  readonly deposits: ReadonlyMap<string, Usd.Usd>
  /** Tokens nobody vouches for, by chain and address; at most `maxSpam` are told apart. */
  readonly spam: ReadonlySet<string>
  readonly unavailable: ReadonlyArray<string>
  readonly pricesAsOf: DateTime.Utc | undefined
  readonly stale: boolean
  /** When the first of the balances was read. */
  readonly asOf: DateTime.Utc
  readonly isComplete: boolean
}

const maxSpam = 10_000

const tokenOf = ({ holding }: WalletHolding): string => `${holding.chainId} ${holding.tokenAddress}`

export const nothing = (asOf: DateTime.Utc): Totals => ({
  tokens: new Map(),
  deposits: new Map(),
  spam: new Set(),
  unavailable: [],
  pricesAsOf: undefined,
  stale: false,
  asOf,
  isComplete: false
})

const added = (one: Usd.Usd | undefined, other: Usd.Usd | undefined) =>
  one === undefined ? other : other === undefined ? one : Usd.add(one, other)

const plus = (sum: Holding.Holding | undefined, holding: Holding.Holding): Holding.Holding =>
  sum === undefined
    ? holding
    : {
        ...sum,
        price: sum.price ?? holding.price,
        balance: sum.balance + holding.balance,
        valueMicro: added(sum.valueMicro, holding.valueMicro)
      }

const older = (one: DateTime.Utc | undefined, other: DateTime.Utc | undefined) =>
  one === undefined ? other : other === undefined ? one : DateTime.min(one, other)

/** The totals with some more wallets. */
export const and = (totals: Totals, reading: Reading): Totals => {
  const unavailable = [...new Set([...totals.unavailable, ...reading.unavailable])].sort()
  const isCounted = ({ chainId }: Holding.Holding) => !unavailable.includes(chainId)
  const tokens = new Map([...totals.tokens].filter(([, holding]) => isCounted(holding)))
  const deposits = new Map([...totals.deposits].filter(([id]) => !unavailable.includes(id)))
  for (const { holding } of reading.deposited) {
    if (!isCounted(holding)) continue
    const before = deposits.get(holding.chainId) ?? Usd.zero
    deposits.set(holding.chainId, Usd.add(before, holding.valueMicro ?? Usd.zero))
  }
  const spam = new Set(totals.spam)
  for (const held of reading.held) {
    const token = tokenOf(held)
    if (!isCounted(held.holding)) continue
    if (!held.holding.isSpam) tokens.set(token, plus(tokens.get(token), held.holding))
    else if (spam.size < maxSpam) spam.add(token)
  }
  return {
    ...totals,
    tokens,
    deposits,
    spam,
    unavailable,
    pricesAsOf: older(totals.pricesAsOf, reading.pricesAsOf),
    stale: totals.stale || reading.stale
  }
}
