/**
 * The line of history that a transaction writes on, as the records say it. What others have seen numbered may be lost
 * with the line before, so numbers go on above a gap: none is given twice.
 */
import { DateTime } from "effect"

/** Where the records are: a line that the key store has given to their server. */
export interface LineNow {
  readonly number: number
  /** Null where there was never another line. */
  readonly begunAt: DateTime.Utc | null
}

/** How many numbers each line leaves out before its own: more than a line can lose of one row of them. */
export const gap = 1_000_000

/** How far the clocks of the server before and of this one may lie apart. */
export const clocksDifferSeconds = 60

/** Whether something of that time may have been on the line before. */
export const isOlder = ({ begunAt }: LineNow, at: DateTime.Utc): boolean =>
  begunAt !== null &&
  DateTime.isLessThan(at, DateTime.add(begunAt, { seconds: clocksDifferSeconds }))

/** The number after the last one, which was given on a line: above a gap for each line that has begun since. */
export const after = (last: number, line: number, now: LineNow): number =>
  last + Math.max(0, now.number - line) * gap + 1
