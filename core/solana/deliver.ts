/**
 * Brings a message to a program: it is tried, charged, signed by the relayer, written down and handed over. A message is
 * taken once, whoever brings it, so a transaction that is dead is made anew without any mark.
 */
import { DateTime, Effect } from "effect"
import { layOut } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import type { Delivery } from "./delivery.ts"
import { submit } from "./follow.ts"
import * as Journal from "./journal.ts"
import { type Asked, onward, preparedAgain, waiting } from "./look.ts"
import { feeOf } from "./outlay.ts"
import { affordable, nextBid } from "./prepare.ts"
import { outlayReached } from "./reasons.ts"
import { SolanaRelay } from "./relay.ts"

const outlayWaitMs = 60_000
const closedWaitMs = 30_000

const failing = (submission: Submission, reason: string): Step =>
  onward({ ...submission, status: "failed", reason, txIds: [] })

const prepare = Effect.fnUntraced(function* (
  submission: Submission,
  delivery: Delivery,
  asked: Asked
) {
  const relay = yield* SolanaRelay
  const conditions = yield* asked
  const obstacle = yield* affordable(submission, conditions)
  if (obstacle !== undefined) return obstacle
  const trial = yield* relay.tryDelivery(delivery, conditions)
  if (trial._tag === "would_fail") {
    return trial.isPassing
      ? waiting({ ...submission, reason: trial.reason }, closedWaitMs)
      : failing(submission, trial.reason)
  }
  const { opensAccount, rentLamports, units } = trial
  const bid = { units, opensAccount, priority: nextBid(Journal.read(submission).bid, conditions) }
  const { chainId, id, purpose } = submission
  const opening = opensAccount ? conditions.accountLamports : 0n
  const cost = { chainId, accountId: purpose.accountId, units: feeOf(bid) + rentLamports + opening }
  const [isCharged = false] = yield* layOut([{ ...cost, key: `submission ${id}` }])
  if (!isCharged) return waiting({ ...submission, reason: outlayReached }, outlayWaitMs)
  const signed = yield* relay.signDelivery(delivery, bid, conditions)
  const { lastValidBlockHeight } = conditions
  const attempt = { ...signed, lastValidBlockHeight, at: yield* DateTime.now }
  const written = Journal.write(submission, { attempts: [attempt], bid: bid.priority })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})

const follow = Effect.fnUntraced(function* (submission: Submission, attempt: Journal.Attempt) {
  const { traceDelivery } = yield* SolanaRelay
  const trace = yield* traceDelivery(submission.chainId, attempt)
  const at = { ...submission, txIds: [attempt.txId] }
  switch (trace._tag) {
    case "paid":
      return trace.isFinal
        ? ({ at: { ...at, status: "final", reason: null }, next: "close" } satisfies Step as Step)
        : waiting({ ...at, status: "seen", reason: null })
    case "failed":
      // Why it failed, the next trial tells.
      return trace.isFinal
        ? preparedAgain({ ...submission, reason: trace.reason })
        : waiting({ ...at, status: "submitted", reason: trace.reason })
    case "dead":
      return preparedAgain(submission)
    case "pending":
      return yield* submit({ ...at, status: "submitted" })
  }
})

/** One step of a submission that brings a message. */
export const deliver = Effect.fnUntraced(function* (
  submission: Submission,
  delivery: Delivery,
  asked: Asked
) {
  const attempt = Journal.read(submission).attempts.at(-1)
  return yield* attempt === undefined
    ? prepare(submission, delivery, asked)
    : follow(submission, attempt)
})
