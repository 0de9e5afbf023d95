/**
 * Tells the operator of what was refused while something is between two chains: an answer that is not about what left,
 * or a call that the destination does not take. Each is told once, by its code, in the log and as a number.
 */
import { Effect } from "effect"
import { bridgeRefused } from "../operation/metrics.ts"
import type { Wait } from "../waits/wait.ts"

/** `BRIDGE_CONTRADICTED`: the provider says other things than the chain. `BRIDGE_CALL_REFUSED`: the destination does not take it. */
export type Code = "BRIDGE_CONTRADICTED" | "BRIDGE_CALL_REFUSED"

export const tellRefused = Effect.fnUntraced(function* (
  { chainId, proposalId }: Pick<Wait, "chainId" | "proposalId">,
  code: Code,
  sentence: string
) {
  yield* Effect.logError(
    `${code}: ${sentence} Proposal ${proposalId} on ${chainId}; nothing of it was used, and it is asked again.`
  )
  yield* bridgeRefused(chainId, code)
})
