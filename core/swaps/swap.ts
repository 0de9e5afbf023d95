/**
 * Swaps by orders: a wallet sells one token for at least so much of another on the same chain. An order that dies
 * unfilled is followed by another one until twenty minutes are over; at most one is alive.
 */
import { DateTime, Effect } from "effect"
import { AccountPaused } from "../accounts/pause.ts"
import * as Kind from "../proposals/kind.ts"
import { PolicyLimitExceeded, type Proposal } from "../proposals/proposal.ts"
import { PriceOutOfRange, WalletBusy } from "../sales/rules.ts"
import { Sales } from "../sales/sale-store.ts"
import { PriceUnavailable } from "../tokens/refusals.ts"
import type { Moment, NextStep, Result, Step } from "../waits/next-step.ts"
import type { Wait } from "../waits/wait.ts"
import * as Judge from "./judge.ts"
import { journalIn } from "./order-journal.ts"
import { orderMinutes, signing } from "./sign-order.ts"
import { summaryOf, type Terms, terms } from "./terms.ts"

/** What any swap may be refused with, where it is proposed and where it is started. */
export const refusals = [
  PolicyLimitExceeded,
  AccountPaused,
  PriceUnavailable,
  PriceOutOfRange,
  WalletBusy
] as const

const waitsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Wait> =>
  steps.flatMap((step) => (step._tag === "wait" ? [step.wait] : []))

const order = (swap: Terms, deadline: DateTime.Utc): NextStep => ({
  _tag: "wait",
  kind: "fill",
  watch: "swap_order",
  chainId: swap.chainId,
  terms: { latestValidTo: Math.floor(DateTime.toEpochMillis(deadline) / 1000) },
  deadline
})

const resultOf = ({ sell }: Terms, wait: Wait): Result => {
  const { feeAmount = "0", ...filled } = journalIn(wait).filled ?? {}
  const fee = { kind: "protocol", symbol: sell.symbol, amount: feeAmount, amountUsd: null } as const
  return { ...filled, feesPaid: feeAmount === "0" ? [] : [fee] }
}

/** An order, and another after one that died, while there is time. */
const next = (swap: Terms, steps: ReadonlyArray<Step>, { isStopAsked, now }: Moment): NextStep => {
  const waits = waitsOf(steps)
  const [first, last] = [waits[0], waits.at(-1)]
  if (first === undefined || last === undefined) {
    return order(swap, DateTime.add(now, { minutes: orderMinutes }))
  }
  if (last.ended?.isDone === true) {
    const isRecovered = journalIn(last).isFound === true
    return { _tag: "end", outcome: "executed", result: resultOf(swap, last), isRecovered }
  }
  const isDead = last.ended?.evidence?.type === "block"
  const mayFollow = isDead && !isStopAsked && DateTime.isLessThan(now, first.deadline)
  if (mayFollow) return order(swap, first.deadline)
  const reason =
    isStopAsked && isDead
      ? "It was cancelled; no order of it was filled."
      : (last.reason ?? "No order of it was filled in time.")
  return { _tag: "end", outcome: "not_executed", reason }
}

/** The wallet is free again; what was sold stays counted. */
const ended = Effect.fnUntraced(function* ({ id }: Proposal, isDone: boolean) {
  const sales = yield* Sales
  yield* isDone ? sales.settle(id) : sales.release(id)
})

/** What every kind of swap has, whatever carries it out. */
export const common = {
  movesMoney: true,
  chains: ({ chainId }: Terms) => [chainId],
  refusals,
  terms,
  summary: summaryOf,
  exposure: ({ worthUsd }: Terms): Kind.Exposure => ({ amountMicro: worthUsd, limit: "hard_cap" }),
  cosigned: ({ worthUsd }: Terms): Kind.Ruled => ({ action: "swap", amountMicro: worthUsd }),
  worthNow: Judge.worthNow,
  spends: Judge.spends,
  check: Judge.check,
  perform: Judge.start,
  ended
} as const

export const swap = Kind.define("swap", {
  ...common,
  title: "Swap tokens",
  next,
  isStoppable: true,
  doing: {
    filling: `The order is placed. Whoever gives the best price fills it within ${orderMinutes} minutes; else it ends by itself.`
  },
  signing
})
