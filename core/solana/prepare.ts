/**
 * The steps up to a signed transaction: the chain is asked for the payment's mark, the payment is tried, its cost is
 * charged, and wallet and relayer sign. Nothing here reaches the network.
 */
import { DateTime, Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import type { Order } from "../submissions/order.ts"
import { recovered } from "../submissions/recover.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import { tellRelayerLow } from "../submissions/tell-relayer-low.ts"
import { isBehind } from "./horizon.ts"
import * as Journal from "./journal.ts"
import { type Asked, onward, preparedAgain, transferOf, waiting } from "./look.ts"
import { charged, costOf, openingViolation } from "./outlay.ts"
import { atTheBound, outlayReached, outOfLamports, recordsBehind, tooBusy } from "./reasons.ts"
import { type Bid, type Conditions, SolanaRelay } from "./relay.ts"

const lamportsWaitMs = 15_000
const outlayWaitMs = 60_000
const busyWaitMs = 15_000
export const behindWaitMs = 15_000

/** What the relayer keeps for itself, so that its own account stays. */
const keptLamports = 1_000_000n

/** What a send takes when nobody has tried it yet. */
export const defaultUnits = 60_000

/** Whether the relayer can pay a transaction, at the most it may cost. */
export const canPay = (conditions: Conditions, bid: Bid): boolean =>
  conditions.relayerLamports >= costOf(bid, conditions) + keptLamports

/** For how long a transaction may come into a block, in seconds, generously. */
export const validForSeconds = 180

const least = (one: bigint, other: bigint) => (one < other ? one : other)
const most = (one: bigint, other: bigint) => (one > other ? one : other)

/** Twice the last bid, what the network asks if that is more, and never above the operator's limit. */
export const nextBid = (
  last: bigint | null,
  { maxPriority, priority }: Pick<Conditions, "maxPriority" | "priority">
): bigint => least(maxPriority, most(priority, last === null ? 1n : last * 2n))

const waitForLamports = Effect.fnUntraced(function* (submission: Submission) {
  const { chainId } = submission
  const relayer = yield* (yield* SolanaRelay).relayerAddress(chainId)
  yield* Effect.logWarning(`The relayer ${relayer} on ${chainId} is out of SOL; fund it.`)
  yield* relayerOutOfGas(chainId)
  if (submission.reason !== outOfLamports) yield* tellRelayerLow(submission)
  return waiting({ ...submission, reason: outOfLamports }, lamportsWaitMs)
})

/** What its wallet is asked to sign. */
export const orderOf = Effect.fnUntraced(function* (submission: Submission) {
  const { purpose, terms } = submission
  const { wallet } = terms
  if (wallet === null) return yield* Effect.die(new Error(`${submission.id} is of no wallet.`))
  const now = yield* DateTime.now
  const order: Order = {
    ...transferOf(submission),
    act: terms.act,
    call: terms.call,
    proposalId: purpose.proposalId ?? "",
    accountId: purpose.accountId ?? "",
    walletId: wallet.id,
    key: wallet.key,
    validBefore: Math.floor(DateTime.toEpochMillis(now) / 1000) + validForSeconds
  }
  return order
})

/** Signs as both, and writes the transaction down before it is handed over. */
const sign = Effect.fnUntraced(function* (
  submission: Submission,
  bid: Bid,
  conditions: Conditions
) {
  const now = yield* DateTime.now
  const order = yield* orderOf(submission)
  const signed = yield* (yield* SolanaRelay).sign(order, bid, conditions)
  const { lastValidBlockHeight } = conditions
  const attempt = { ...signed, lastValidBlockHeight, at: now }
  const written = Journal.write(submission, { attempts: [attempt], bid: bid.priority })
  // That an earlier one died at the limit stays told while this one is under way.
  const isAtBound = Journal.read(submission).bid === conditions.maxPriority
  const reason = isAtBound ? atTheBound(conditions.maxPriority) : null
  const step: Step = { at: { ...written, status: "submitted", reason }, next: "submit" }
  return step
})

const failing = (submission: Submission, reason: string): Step =>
  onward({ ...submission, status: "failed", reason })

/** What stands in the way of any transaction now, of the records, the network or the relayer; undefined when nothing does. */
export const affordable = Effect.fnUntraced(function* (
  submission: Submission,
  conditions: Conditions
) {
  if (yield* isBehind) return waiting({ ...submission, reason: recordsBehind }, behindWaitMs)
  const { maxPriority, priority } = conditions
  if (priority > maxPriority) {
    return waiting({ ...submission, reason: tooBusy(priority, maxPriority) }, busyWaitMs)
  }
  // Without it the trial would fail too, and that would look like the wallet's fault.
  const usual = { units: defaultUnits, priority, opensAccount: true }
  return canPay(conditions, usual) ? undefined : yield* waitForLamports(submission)
})

/** Makes the first transaction, or the next one when all before it are dead. */
export const prepare = Effect.fnUntraced(function* (submission: Submission, asked: Asked) {
  const relay = yield* SolanaRelay
  const transfer = transferOf(submission)
  const found = yield* relay.findPayment(transfer)
  if (found !== undefined) return recovered(submission, found)
  // A block that had it is gone.
  if (submission.status !== "prepared") return preparedAgain(submission)
  const conditions = yield* asked
  const obstacle = yield* affordable(submission, conditions)
  if (obstacle !== undefined) return obstacle
  const simulated = yield* relay.simulate(transfer)
  if (simulated._tag === "marked") return waiting(submission)
  if (simulated._tag === "would_fail") return failing(submission, simulated.reason)
  if (simulated.opensAccount) {
    const violation = yield* openingViolation(submission, conditions)
    if (violation !== undefined) return failing(submission, violation)
  }
  const { opensAccount, units } = simulated
  const bid = { units, opensAccount, priority: nextBid(Journal.read(submission).bid, conditions) }
  if (!(yield* charged(submission, bid, conditions))) {
    return waiting({ ...submission, reason: outlayReached }, outlayWaitMs)
  }
  return yield* sign(submission, bid, conditions)
})
