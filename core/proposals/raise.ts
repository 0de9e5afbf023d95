/**
 * Holds more of the caps for an execution than it was started with, when what is about to be signed needs more. What
 * it holds is never lowered, and stays in the windows of the instant it was started in.
 */
import { DateTime, Effect } from "effect"
import type { Usd } from "../money/usd.ts"
import { windowsAt } from "../policy/limits.ts"
import { revisionOf } from "../policy/revision.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { keyCapsOf, overLimits } from "./key-bounds.ts"
import type { Proposal } from "./proposal.ts"

/** Holds so much in all, for its account and under its keys; the refusal when it does not fit. */
export const raise = Effect.fnUntraced(function* (proposal: Proposal, amountMicro: Usd) {
  if (amountMicro <= 0n) return undefined
  const { accountId, id: proposalId } = proposal
  const at = yield* DateTime.now
  const raised = yield* (yield* Spending).raise(
    { proposalId, accountId, amountMicro, windows: windowsAt(at), at },
    yield* revisionOf(accountId),
    yield* keyCapsOf(proposal)
  )
  return raised._tag === "over" ? overLimits(raised.verdicts) : undefined
})
