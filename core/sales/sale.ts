/**
 * A sale: what a trade takes out of a wallet from its start until the chain has it or never will. Of one token of a
 * wallet one sale is open at a time, and what it holds cannot be sent. Its whole worth counts in the day it began.
 */
import type { DateTime } from "effect"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { Usd } from "../money/usd.ts"

/** `open`: the wallet may still be taken from. `left`: it was, finally. `released`: it never will be. */
export type State = "open" | "left" | "released"

export interface Sale {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly amount: TokenAmount
  /** The whole worth of what is sold. */
  readonly worthMicro: Usd
  /** The UTC day it counts in. */
  readonly day: string
  readonly state: State
  readonly openedAt: DateTime.Utc
}

/** The cap on what an account sells in a UTC day, and what of it is taken. */
export interface TradeCap {
  readonly capMicro: Usd
  readonly usedMicro: Usd
}

export type Opened =
  | { readonly _tag: "opened" }
  /** Another sale of that token of the wallet is open. */
  | { readonly _tag: "busy"; readonly proposalId: string }
  | { readonly _tag: "over"; readonly cap: TradeCap }

/** Whether so much more may be sold in a day. */
export const fits = ({ capMicro, usedMicro }: TradeCap, worthMicro: Usd): boolean =>
  usedMicro + worthMicro <= capMicro
