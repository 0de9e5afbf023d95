/** The refusal of a transfer that would pass a limit, with every rule and its headroom. */
import * as Usdc from "../money/usdc.ts"
import type { Verdict } from "../policy/limits.ts"
import { PolicyLimitExceeded } from "./proposal.ts"

const names = {
  hard_cap: "the hard cap per transfer",
  per_transfer: "the cap per transfer",
  daily: "the daily cap",
  monthly: "the monthly cap",
  key_daily: "the API key's daily cap"
}

export const told = (verdict: Verdict) => ({
  rule: verdict.rule,
  capUsd: Usdc.format(verdict.capMicro),
  usedUsd: Usdc.format(verdict.usedMicro),
  headroomUsd: Usdc.format(
    verdict.usedMicro >= verdict.capMicro ? 0n : verdict.capMicro - verdict.usedMicro
  ),
  passes: verdict.passes
})

export const overLimits = (verdicts: ReadonlyArray<Verdict>) => {
  const broken = verdicts.filter((verdict) => !verdict.passes).map(told)
  const first = broken[0]
  const rule = first === undefined ? "a limit" : names[first.rule]
  return new PolicyLimitExceeded({
    param: "amountUsdc",
    message: `This exceeds ${rule}; at most ${first?.headroomUsd ?? "0.00"} USDC can be sent now.`,
    details: { verdicts: verdicts.map(told) },
    next: { operation: "get_policy_limits", args: {} }
  })
}
