/**
 * The decision about a transfer, which is pure: four rules judged with their headroom, against a call of the
 * same shape that decides nothing. What a confirmation waits for beside it is the database.
 */
import { DateTime } from "effect"
import * as Usd from "../core/money/usd.ts"
import { evaluate, type Limits, type Used, type Verdict, windowsAt } from "../core/policy/limits.ts"
import { tiers } from "../core/policy/plan.ts"
import { interleaved, type Measurement, quoted, ratio, runAlone } from "./measure.ts"

const calls = 500_000

const limits = tiers.startup
const used: Used = {
  dayMicro: Usd.make(1_250_000_000n),
  monthMicro: Usd.make(20_000_000_000n)
}
const at = DateTime.makeUnsafe("2026-11-21T12:00:00Z")

const decided = evaluate(limits, used, Usd.make(12_500_000n))

type Decision = (limits: Limits, used: Used, amountMicro: Usd.Usd) => ReadonlyArray<Verdict>

const nothing: Decision = () => decided

const withWindows: Decision = (within, spent, amountMicro) => {
  const { day } = windowsAt(at)
  return day === "" ? decided : evaluate(within, spent, amountMicro)
}

/** Amounts differ from call to call, so that nothing can be worked out once for all. */
const amounts = Array.from({ length: 1024 }, (_, number) =>
  Usd.make(BigInt(number + 1) * 10_000_000n)
)

/** Microseconds for one call. */
const timed = (decide: Decision) => async (): Promise<number> => {
  let passed = 0
  const startedAt = performance.now()
  for (let call = 0; call < calls; call++) {
    const verdicts = decide(limits, used, amounts[call % amounts.length] ?? Usd.zero)
    if (verdicts[3]?.passes === true) passed += 1
  }
  const tookMs = performance.now() - startedAt
  if (passed === 0) throw new Error("Nothing was allowed.")
  return (tookMs * 1000) / calls
}

export const measure = async (): Promise<Measurement> => {
  const taken = await interleaved({
    empty: timed(nothing),
    judged: timed(evaluate),
    windowed: timed(withWindows)
  })
  const figure = (what: string, ours: ReadonlyArray<number>) => ({
    what,
    against: "a function of the same shape that decides nothing",
    ours: quoted(ours, "µs"),
    theirs: quoted(taken.empty, "µs"),
    ratio: ratio(ours, taken.empty)
  })
  return {
    file: "policy.ts",
    figures: [
      figure("a transfer judged by its four limits", taken.judged),
      figure("the same with the windows of the instant", taken.windowed)
    ]
  }
}

await runAlone(import.meta.main, measure)
