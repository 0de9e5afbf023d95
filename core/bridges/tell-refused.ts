/**
 * Tells of what was refused while something is between two chains: an answer that is not about what left, a call that the
 * destination does not take, an end that nobody here asked for. Each is told once, by its code: to the operator in the
 * log and as a number, and to the account as a notice.
 */
import { Effect } from "effect"
import { giveNotice } from "../notices/give-notice.ts"
import { bridgeRefused } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import type { Wait } from "../waits/wait.ts"

/**
 * `BRIDGE_CONTRADICTED`: the provider, or the order that stands, says other things than what left.
 * `BRIDGE_CALL_REFUSED`: the destination does not take it. `BRIDGE_CANCELLED_ELSEWHERE`: somebody else took the order
 * back. `BRIDGE_STRANGER_REFUSED`: somebody who may not tried to. `BRIDGE_BELOW_MINIMUM`: less arrived
 * than was signed for, which no chain should let happen.
 */
export type Code =
  | "BRIDGE_CONTRADICTED"
  | "BRIDGE_CALL_REFUSED"
  | "BRIDGE_CANCELLED_ELSEWHERE"
  | "BRIDGE_STRANGER_REFUSED"
  | "BRIDGE_BELOW_MINIMUM"

/** After which it is gone on with as if nothing had been said. */
const isTriedOn: ReadonlySet<Code> = new Set(["BRIDGE_CONTRADICTED", "BRIDGE_CALL_REFUSED"])

export const tellRefused = Effect.fnUntraced(function* (
  { accountId, chainId, proposalId }: Pick<Wait, "accountId" | "chainId" | "proposalId">,
  code: Code,
  sentence: string
) {
  const notice = giveNotice({
    accountId,
    type: "bridge_refused",
    subject: `${proposalId} ${code}`,
    role: "approver",
    summary: `${code}: ${sentence}`,
    path: `/console/proposals/${proposalId}`
  })
  yield* (yield* Atomically).run(notice)
  yield* Effect.logError(
    `${code}: ${sentence} Proposal ${proposalId} on ${chainId}${isTriedOn.has(code) ? "; nothing of it was used, and it is asked again" : ""}.`
  )
  yield* bridgeRefused(chainId, code)
})
