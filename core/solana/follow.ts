/**
 * The steps from the first transaction to the end: handing it over, looking for its mark, and preparing another when
 * no final block can hold it any more. Only bytes that were written down are ever handed over.
 */
import { Effect } from "effect"
import { boughtTooLittle } from "../operation/metrics.ts"
import { recovered } from "../submissions/recover.ts"
import type { Submission } from "../submissions/submission.ts"
import type { FoundPayment, Step } from "../submissions/submitter.ts"
import * as Journal from "./journal.ts"
import { onward, preparedAgain, transferOf, waiting } from "./look.ts"
import { settled, triedInVain } from "./prepare-swap.ts"
import { hashDied, replyLost } from "./reasons.ts"
import { SolanaRelay } from "./relay.ts"
import { swapIn } from "./swap.ts"

export const submit = Effect.fnUntraced(function* (submission: Submission) {
  const { attempts } = Journal.read(submission)
  const newest = attempts.at(-1) as Journal.Attempt
  const lost = yield* (yield* SolanaRelay).broadcast(submission.chainId, newest.wire).pipe(
    Effect.as(false),
    Effect.catchTag("ChainUnavailable", () => Effect.succeed(true))
  )
  if (lost) return waiting({ ...submission, reason: replyLost })
  return waiting(submission.reason === replyLost ? { ...submission, reason: null } : submission)
})

/** It ends by the mark, and is closed with its end: on Solana nothing is left to tidy up. */
const ended = (step: Step): Step =>
  step.at.status === "final" || step.at.status === "failed" ? { ...step, next: "close" } : step

/** Less than was signed for is nothing that the chain should let happen: the operator is told. */
const swapped = Effect.fnUntraced(function* (
  submission: Submission,
  swap: NonNullable<ReturnType<typeof swapIn>>,
  found: FoundPayment
) {
  const step = settled(submission, swap, found)
  const least = Journal.read(submission).minimum ?? swap.minBuyAmount
  if (step.at.status !== "final" || (found.bought?.units ?? 0n) >= least) return step
  yield* Effect.logError(
    `Submission ${submission.id} bought ${found.bought?.units ?? 0n} in ${found.txId}, less than the ${least} that were signed for.`
  )
  yield* boughtTooLittle(submission.chainId)
  return step
})

export const follow = Effect.fnUntraced(function* (submission: Submission) {
  const { attempts } = Journal.read(submission)
  const swap = swapIn(submission)
  const trace = yield* (yield* SolanaRelay).trace(transferOf(submission), attempts)
  switch (trace._tag) {
    case "marked":
      return ended(
        swap === undefined
          ? recovered(submission, trace.found)
          : yield* swapped(submission, swap, trace.found)
      )
    case "failed":
      if (!trace.isFinal) {
        return waiting({ ...submission, status: "submitted", reason: trace.reason })
      }
      return trace.isPassing
        ? triedInVain(submission, trace.reason)
        : onward({ ...submission, status: "failed", reason: trace.reason, txIds: [trace.txId] })
    case "dead":
      return swap === undefined ? preparedAgain(submission) : triedInVain(submission, hashDied)
    case "pending": {
      const txIds = attempts.map(({ txId }) => txId)
      return yield* submit({ ...submission, status: "submitted", txIds })
    }
  }
})
