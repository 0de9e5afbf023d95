/**
 * What every trade is held to: its whole worth by the hard cap and the day's cap on trades, what it puts at risk by
 * the caps on sends, and one open sale of a token of a wallet. All of it is judged again in the transaction that
 * starts the trade, and reserved there.
 */
import { DateTime, Effect } from "effect"
import type { TokenAmount } from "../chains/token-amount.ts"
import * as Usd from "../money/usd.ts"
import { define } from "../operation/refusal.ts"
import { dailyTradeOf, evaluate, type Verdict, windowsAt } from "../policy/limits.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { currentRevision, revisionOf } from "../policy/revision.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { overLimits } from "../proposals/key-bounds.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { fits, type TradeCap } from "./sale.ts"
import { Sales } from "./sale-store.ts"

export class PriceOutOfRange extends define("PRICE_OUT_OF_RANGE", {
  kind: "conflict",
  meaning: "What the venue gives is more than three percent off the independent price.",
  retryable: true
}) {}

export class WalletBusy extends define("WALLET_BUSY", {
  kind: "conflict",
  meaning:
    "Another trade is selling this token from this wallet; `details.proposalId` is that one.",
  retryable: true
}) {}

/** What a trade is judged by. */
export interface Judged {
  /** The whole worth of what is sold. */
  readonly worthMicro: Usd.Usd
  readonly valueAtRiskMicro: Usd.Usd
}

/** What leaves which wallet. */
export interface Selling {
  readonly walletId: string
  readonly amount: TokenAmount
}

/** The cap on what an account sells in a day, whatever it puts at risk. */
export const tradeCapOf = Effect.fnUntraced(function* (dailyMicro: Usd.Usd) {
  return dailyTradeOf(dailyMicro, (yield* PolicySettings).dailyTradeMicro)
})

const param = "amountUsd"

const overTrades = (cap: TradeCap, worthMicro: Usd.Usd) =>
  overLimits([{ ...cap, rule: "daily_trade", passes: fits(cap, worthMicro) }], param)

const overHardCap = (capMicro: Usd.Usd) =>
  overLimits([{ rule: "hard_cap", capMicro, usedMicro: Usd.zero, passes: false }], param)

/** What counts in caps, of an account and of its keys: at least one millionth, as a reservation is of something. */
export const countedOf = (valueAtRiskMicro: Usd.Usd): Usd.Usd =>
  valueAtRiskMicro > 0n ? valueAtRiskMicro : Usd.make(1n)

/** Refuses early what the ledgers would refuse when it starts. */
export const check = Effect.fnUntraced(function* (accountId: string, judged: Judged) {
  const limits = yield* revisionOf(accountId)
  if (judged.worthMicro > limits.hardCapMicro) return yield* overHardCap(limits.hardCapMicro)
  const windows = windowsAt(yield* DateTime.now)
  const capMicro = yield* tradeCapOf(limits.dailyMicro)
  const sales = yield* Sales
  const cap = { capMicro, usedMicro: yield* sales.used(accountId, windows.day) }
  // On a day that is closed nothing is signed; whatever is confirmed is only looked for on the chain.
  const isOver =
    !fits(cap, judged.worthMicro) && !(yield* sales.isClosed({ accountId, day: windows.day }))
  if (isOver) return yield* overTrades(cap, judged.worthMicro)
  const used = yield* (yield* Spending).used(accountId, windows)
  const verdicts: ReadonlyArray<Verdict> = evaluate(
    limits,
    used,
    countedOf(judged.valueAtRiskMicro)
  )
  if (verdicts.some(({ passes }) => !passes)) return yield* overLimits(verdicts, param)
})

/** Refuses while another sale of the token is open in the wallet. */
export const checkFree = Effect.fnUntraced(function* ({ amount, walletId }: Selling) {
  const held = yield* (yield* Sales).heldOf(walletId)
  const other = held.find(({ token }) => token === amount.token.address)
  if (other !== undefined) return yield* busy(other.proposalId)
})

const busy = (proposalId: string) =>
  new WalletBusy({
    param: "fromWalletId",
    message:
      "Another trade is selling this token from this wallet; wait for its end, or use another wallet.",
    details: { proposalId },
    next: { operation: "get_proposal", args: { proposalId } }
  })

/** Reserves what a trade puts at risk and opens its sale, in the transaction that starts it. */
export const start = Effect.fnUntraced(function* (
  { accountId, id: proposalId }: Pick<Proposal, "accountId" | "id">,
  selling: Selling,
  judged: Judged
) {
  const limits = yield* currentRevision(accountId)
  if (judged.worthMicro > limits.hardCapMicro) return yield* overHardCap(limits.hardCapMicro)
  const at = yield* DateTime.now
  const windows = windowsAt(at)
  const capMicro = yield* tradeCapOf(limits.dailyMicro)
  const { worthMicro } = judged
  const sale = { ...selling, proposalId, accountId, worthMicro, day: windows.day, openedAt: at }
  const opened = yield* (yield* Sales).open(sale, capMicro)
  if (opened._tag === "busy") return yield* busy(opened.proposalId)
  if (opened._tag === "over") return yield* overTrades(opened.cap, worthMicro)
  const amountMicro = countedOf(judged.valueAtRiskMicro)
  const reserved = yield* (yield* Spending).reserve(
    { proposalId, accountId, amountMicro, windows, at },
    limits
  )
  if (reserved._tag === "over") return yield* overLimits(reserved.verdicts, param)
})
