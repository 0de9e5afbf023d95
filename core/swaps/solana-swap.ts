/**
 * Swaps by a transaction of the wallet's own, as venues on Solana have them: one step, which is tried with fresh quotes
 * until the chain has it or never will. What is signed never gives less than the floor, nor costs more than was approved.
 */
import { DateTime, Effect } from "effect"
import { isSame, keyOf } from "../chains/address.ts"
import * as Coin from "../chains/coin.ts"
import { isSameToken } from "../chains/token-amount.ts"
import { canonical } from "../encoding/canonical.ts"
import * as Usd from "../money/usd.ts"
import { Atomically } from "../ports/atomically.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { raise } from "../proposals/raise.ts"
import { bpsOf } from "../quotes/quote.ts"
import { whyClosed } from "../sales/closed-day.ts"
import { Sales } from "../sales/sale-store.ts"
import * as Journal from "../solana/journal.ts"
import { SolanaRelay } from "../solana/relay.ts"
import { callOf } from "../solana/swap.ts"
import type { Admission, Bought } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Fee, NextStep, Step, StepSubmission } from "../waits/next-step.ts"
import * as Judge from "./judge.ts"
import { common } from "./swap.ts"
import type { Terms } from "./terms.ts"

const soldBy = ({ chainId, sell, sellAmount }: Terms) => ({
  token: { chainId, address: keyOf(chainId, sell.tokenAddress) },
  units: sellAmount
})

/** What follows from the terms for the wallet's transaction. */
const calling = (swap: Terms) =>
  callOf({
    buy: keyOf(swap.chainId, swap.buy.tokenAddress),
    minBuyAmount: swap.minBuyAmount,
    slippageBps: bpsOf(swap.slippagePercent),
    notAfter: Math.floor(DateTime.toEpochMillis(swap.notAfter) / 1000)
  })

const swapping = (swap: Terms): StepSubmission => ({
  _tag: "submit",
  kind: "submit",
  purpose: "solana_swap",
  chainId: swap.chainId,
  walletId: swap.fromWalletId,
  act: "call",
  from: keyOf(swap.chainId, swap.fromAddress),
  to: keyOf(swap.chainId, swap.receiver),
  amount: soldBy(swap),
  call: calling(swap)
})

/** Paid by the treasury's relayer, for the wallet. */
const networkFeeOf = ({ chainId }: Terms, units: bigint): Fee => ({
  kind: "network",
  symbol: Coin.of(chainId).symbol,
  amount: `${units}`,
  amountUsd: null
})

/** The one step, and what came of it. */
export const next = (swap: Terms, steps: ReadonlyArray<Step>): NextStep => {
  const [step] = steps
  if (step?._tag !== "submission") return swapping(swap)
  const { submission } = step
  if (!step.isDone) {
    return {
      _tag: "end",
      outcome: "not_executed",
      reason: submission.reason ?? "Nothing was sold."
    }
  }
  const { networkFee = 0n, received = 0n } = Journal.read(submission)
  const result = { soldAmount: `${swap.sellAmount}`, boughtAmount: `${received}` }
  const feesPaid = networkFee === 0n ? [] : [networkFeeOf(swap, networkFee)]
  return { _tag: "end", outcome: "executed", result: { ...result, feesPaid } }
}

const read = Effect.fnUntraced(function* ({ id }: Proposal) {
  const isClosed = (yield* whyClosed(id)) !== undefined
  return { sale: yield* (yield* Sales).find(id), isClosed }
})
type Records = Effect.Success<ReturnType<typeof read>>

/** What a swap must not pass: its own terms, and the sale that it holds open. */
const violation = (request: Kind.SigningRequest, swap: Terms, { isClosed, sale }: Records) => {
  const { amount, call, chainId, from, to, walletId } = request
  const sold = soldBy(swap)
  return Kind.firstBroken([
    [request.act === "call", "a swap signs nothing but its own transaction"],
    [swap.chainId === chainId, "the terms name another chain"],
    [swap.fromWalletId === walletId, "the terms name another wallet"],
    [isSame(chainId, swap.fromAddress, from), "the terms name another address"],
    [isSame(chainId, swap.receiver, to), "the terms name another receiver"],
    [isSameToken(amount.token, sold.token), "the terms sell another token"],
    [amount.units === sold.units, "the terms sell another amount"],
    [
      call !== null && canonical(call) === canonical(calling(swap)),
      "the terms buy something else, or by another floor"
    ],
    [sale?.state === "open", "it has no open sale"],
    [sale?.amount.units === sold.units, "its sale is of another amount"],
    [!isClosed, "its day is closed"]
  ])
}

const priceWaitMs = 15_000
const unreadMs = 2_000

const stopped = "It was cancelled before a transaction of it was signed. Nothing was sold."
const unread = "It was cancelled; whether it was made before, the chain does not tell now."

const failing = (reason: string): Admission => ({ _tag: "fail", reason })

/**
 * Nothing is signed for a swap that was asked to stop. What the chain has of it counts all the same: it may have been
 * made by records that are lost.
 */
export const admitSwap = Effect.fnUntraced(function* ({
  chainId,
  purpose: { accountId, proposalId = "" },
  terms: { from, identity }
}: Submission) {
  const proposal = yield* (yield* Proposals).find(accountId ?? "", proposalId)
  const go: Admission = { _tag: "go" }
  if ((proposal?.stopAskedAt ?? null) === null) return go
  const { findPayment } = yield* SolanaRelay
  const made = yield* Effect.option(findPayment({ chainId, from, identity }))
  if (made._tag === "None") {
    return { _tag: "wait", reason: unread, waitMs: unreadMs } satisfies Admission as Admission
  }
  return made.value === undefined ? failing(stopped) : go
})

/** Whether a swap may be signed for so much, by the prices of now. */
export const judgeSigning = Effect.fnUntraced(function* (
  proposal: Proposal,
  swap: Terms,
  { buyAmount, minBuyAmount }: Bought
) {
  const closed = yield* whyClosed(proposal.id)
  if (closed !== undefined) return failing(closed)
  yield* Judge.foresee(swap)
  const judged = yield* Effect.option(Judge.atLeast(swap, minBuyAmount, buyAmount))
  if (judged._tag === "None") {
    const reason = `${swap.sell.symbol} has no price that two sources agree on; it is asked again.`
    return { _tag: "wait", reason, waitMs: priceWaitMs } satisfies Admission as Admission
  }
  const { isInRange, valueAtRiskMicro } = judged.value
  if (!isInRange) return failing(`${Judge.outOfRange} Nothing was sold.`)
  if (valueAtRiskMicro > swap.maxCostUsd) {
    return failing(
      `By the prices of now it puts ${Usd.format(valueAtRiskMicro)} USD at risk, and ${Usd.format(swap.maxCostUsd)} was approved. Nothing was sold; propose it again.`
    )
  }
  const over = yield* (yield* Atomically).run(raise(proposal, valueAtRiskMicro))
  return over === undefined
    ? ({ _tag: "go" } satisfies Admission as Admission)
    : failing(`${over.message} Nothing was sold.`)
})

export const solanaSwap = Kind.define("solana_swap", {
  ...common,
  title: "Swap on Solana",
  next,
  isStoppable: true,
  signing: { read, violation }
})
