/** Reads the limits that charges of outlay stand under: together, and those that are the same effect once. */
import { Effect } from "effect"
import { askTogether } from "../ports/together.ts"
import type { OutlayLimits } from "./outlay.ts"
import type { Charge } from "./outlay-ledger.ts"

type Limits<R> = Effect.Effect<OutlayLimits, never, R>

/** Gives the same charges with what their limits came to. */
export const readLimits = Effect.fnUntraced(function* <R>(
  charges: ReadonlyArray<readonly [Charge, Limits<R>]>
) {
  const asked = [...new Set(charges.map(([, limits]) => limits))]
  const answers = yield* askTogether(asked)
  const read = new Map(asked.map((limits, at) => [limits, answers[at]]))
  return charges.map(([charge, limits]) => [charge, read.get(limits) as OutlayLimits] as const)
})
