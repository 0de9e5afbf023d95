/**
 * The steps from the first transaction to the end: handing it over, looking for its mark, and preparing another when
 * no final block can hold it any more. Only bytes that were written down are ever handed over.
 */
import { Effect } from "effect"
import { recovered } from "../submissions/recover.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import * as Journal from "./journal.ts"
import { onward, preparedAgain, transferOf, waiting } from "./look.ts"
import { replyLost } from "./reasons.ts"
import { SolanaRelay } from "./relay.ts"

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

export const follow = Effect.fnUntraced(function* (submission: Submission) {
  const { attempts } = Journal.read(submission)
  const trace = yield* (yield* SolanaRelay).trace(transferOf(submission), attempts)
  switch (trace._tag) {
    case "marked":
      return ended(recovered(submission, trace.found))
    case "failed":
      return trace.isFinal
        ? onward({ ...submission, status: "failed", reason: trace.reason, txIds: [trace.txId] })
        : waiting({ ...submission, status: "submitted", reason: trace.reason })
    case "dead":
      return preparedAgain(submission)
    case "unseen": {
      const txIds = attempts.map(({ txId }) => txId)
      return yield* submit({ ...submission, status: "submitted", txIds })
    }
  }
})
