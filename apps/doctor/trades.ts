/** Trades that take far longer than they should: what each waits for, as its own records say. */
import type { Wait } from "../../core/waits/wait.ts"
import { type Finding, ok, warning } from "./finding.ts"

/** As many are told of. */
export const most = 20

type Stuck = Pick<Wait, "chainId" | "kind" | "proposalId" | "reason">

const untold =
  "The running service did not say which trades are stuck; it may be of another version. Start it again with this version."

/** Undefined where there is nothing to ask yet; `unknown` where the running service did not say. */
export const examine = (
  stuck: ReadonlyArray<Stuck> | "unknown" | undefined
): ReadonlyArray<Finding> => {
  if (stuck === undefined) return []
  if (stuck === "unknown") return [warning("trades", untold)]
  if (stuck.length === 0) return [ok("trades", "None is stuck.")]
  return stuck.map(({ chainId, kind, proposalId, reason }) =>
    warning(
      "trades",
      `Proposal ${proposalId} is stuck at its step ${kind} on ${chainId}: ${reason ?? "no reason is known."} It is looked at for ever, and what it may cost stays reserved.`
    )
  )
}
