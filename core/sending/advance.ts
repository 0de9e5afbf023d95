/**
 * Drives a send or an approval from its confirmation to its end. The result is read from the chain, never
 * from a node's reply. Every step may be repeated, here or on another replica.
 */
import { DateTime, Effect } from "effect"
import { isPaused } from "../accounts/pause.ts"
import { claimMs } from "../background/holding.ts"
import type { Authorization, Execution } from "../submissions/execution.ts"
import { type Claimed, Executions } from "../submissions/execution-store.ts"
import { Submitter } from "../submissions/submitter.ts"
import { broadcast, carry, signAnew, unseen } from "./carry.ts"
import { clearNonce } from "./nonce.ts"
import { end, fail, later, type Step, settled, soonestMs, tell } from "./progress.ts"
import { sign, signingDenied } from "./sign.ts"

const follow = Effect.fnUntraced(function* (claimed: Claimed, authorization: Authorization) {
  const { execution } = claimed
  const trace = yield* (yield* Submitter).trace(authorization, execution.carriers)
  switch (trace._tag) {
    case "paid": {
      const txHashes = [trace.txHash]
      if (!trace.isFinal) {
        yield* tell(execution, { subStatus: "confirming", statusReason: null, txHashes })
        return yield* later(execution)
      }
      yield* end(execution, { status: "completed", statusReason: null, txHashes })
      return { execution: settled(execution), goesOn: false } satisfies Step
    }
    case "impossible":
      yield* fail(claimed, "The authorization expired before the token accepted it.", execution)
      return yield* clearNonce(execution)
    case "reverted":
      yield* tell(execution, {
        subStatus: "unknown",
        statusReason: "The transaction was reverted; the send ends when its authorization expires."
      })
      return yield* later(execution)
    case "outrun":
      return yield* trace.isFinal ? signAnew(execution) : unseen(claimed, authorization)
    case "unseen":
      return yield* unseen(claimed, authorization)
  }
})

const pausedWaitMs = 15_000

/** Nothing of it is written for the chain yet, so it waits for its account to be resumed. */
const held = Effect.fnUntraced(function* (execution: Execution) {
  yield* tell(execution, { subStatus: "queued", statusReason: "The account is paused." })
  return yield* later(execution, pausedWaitMs)
})

const stepOf = Effect.fnUntraced(function* (claimed: Claimed) {
  const { execution } = claimed
  const { authorization, step } = execution
  const isUnwritten = step === "queued" || step === "signed"
  if (isUnwritten && (yield* isPaused(execution.accountId))) return yield* held(execution)
  if (execution.step === "queued" || authorization === null) return yield* sign(claimed)
  if (execution.step === "signed") return yield* carry(claimed, authorization)
  if (execution.step === "wrapped") return yield* broadcast(execution)
  return yield* follow(claimed, authorization)
})

/** A chain that cannot be read leaves everything as it is written; only the answer is unknown. */
const away = Effect.fnUntraced(function* (execution: Execution) {
  if (execution.carriers.length > 0) yield* tell(execution, { subStatus: "unknown" })
  return yield* later(execution, soonestMs)
})

/** Goes on with one claimed execution until it has to wait. */
export const advance = Effect.fnUntraced(function* (claimed: Claimed) {
  const executions = yield* Executions
  let current = claimed
  while (true) {
    const from = current
    const { execution, goesOn } = yield* stepOf(from).pipe(
      Effect.catchTag("ChainUnavailable", () => away(from.execution)),
      Effect.catchDefect((defect) => signingDenied(from, defect))
    )
    if (!goesOn) return yield* executions.conclude(claimed.lease, execution)
    if (!(yield* executions.note(claimed.lease, execution))) return false
    current = { ...claimed, execution }
  }
})

/** Claims executions that are due, at most so many. */
export const claimExecutions = Effect.fnUntraced(function* (most: number) {
  const now = yield* DateTime.now
  return yield* (yield* Executions).claim({ now, leaseMs: claimMs, most })
})
