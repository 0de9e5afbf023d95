/**
 * The steps of a burn up to a signed transaction: the chain is asked for its mark, it is tried, its cost is charged, and
 * wallet and relayer sign. The mark is made with the burn, so that nothing is burnt twice.
 */
import { DateTime, Effect } from "effect"
import { layOut } from "../policy/lay-out.ts"
import { recovered } from "../submissions/recover.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import type { Burn } from "./burn.ts"
import * as Journal from "./journal.ts"
import { type Asked, onward, preparedAgain, waiting } from "./look.ts"
import { costOf } from "./outlay.ts"
import { affordable, nextBid, orderOf } from "./prepare.ts"
import { outlayReached } from "./reasons.ts"
import { SolanaRelay } from "./relay.ts"

const outlayWaitMs = 60_000

export const prepareBurn = Effect.fnUntraced(function* (
  submission: Submission,
  burn: Burn,
  asked: Asked
) {
  const relay = yield* SolanaRelay
  const found = yield* relay.findPayment(burn)
  if (found !== undefined) return recovered(submission, found)
  // A block that had it is gone.
  if (submission.status !== "prepared") return preparedAgain(submission)
  const conditions = yield* asked
  const obstacle = yield* affordable(submission, conditions)
  if (obstacle !== undefined) return obstacle
  const trial = yield* relay.tryBurn(burn, conditions)
  if (trial._tag === "marked") return waiting(submission)
  if (trial._tag === "would_fail") {
    return onward({ ...submission, status: "failed", reason: trial.reason })
  }
  const priority = nextBid(Journal.read(submission).bid, conditions)
  const bid = { units: trial.units, opensAccount: false, priority }
  const { chainId, id, purpose } = submission
  const units = costOf(bid, conditions) + trial.rentLamports
  const cost = { key: `submission ${id}`, chainId, accountId: purpose.accountId, units }
  const [isCharged = false] = yield* layOut([cost])
  if (!isCharged) return waiting({ ...submission, reason: outlayReached }, outlayWaitMs)
  const signed = yield* relay.signBurn(yield* orderOf(submission), bid, conditions)
  const { lastValidBlockHeight } = conditions
  const attempt = { ...signed, lastValidBlockHeight, at: yield* DateTime.now }
  const written = Journal.write(submission, { attempts: [attempt], bid: priority })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})
