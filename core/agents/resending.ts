/** How often a claim link is sent again: three times in any hour, counted in the account's row, wherever it is asked. */
import { DateTime, Duration } from "effect"

export const maxPerHour = 3
const window = Duration.hours(1)

/** Whether it may be asked now, given when it was asked before; when it may be, if it may not. */
export type Turn =
  | { readonly _tag: "allowed"; readonly askedAt: ReadonlyArray<DateTime.Utc> }
  | { readonly _tag: "spent"; readonly nextAt: DateTime.Utc }

/** An asking counts until exactly one hour later. */
export const turnAt = (askedAt: ReadonlyArray<DateTime.Utc>, now: DateTime.Utc): Turn => {
  const counted = askedAt
    .filter((at) => DateTime.isGreaterThan(DateTime.addDuration(at, window), now))
    .toSorted((a, b) => DateTime.toEpochMillis(a) - DateTime.toEpochMillis(b))
  const first = counted[counted.length - maxPerHour]
  return first === undefined
    ? { _tag: "allowed", askedAt: [...counted, now] }
    : { _tag: "spent", nextAt: DateTime.addDuration(first, window) }
}
