/**
 * Judges waits and signatures by the spec's own words: the schedule is written out here once more, so that
 * a change of the core's cannot pass unnoticed.
 */
import { DateTime } from "effect"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import { isGenuine, type Letter } from "./independent.ts"

/** About 30s, 2m, 10m, 1h, 6h, 12h, 24h, 24h, 24h (spec section 6, Delivery guarantees). */
const scheduleSeconds = [30, 120, 600, 3600, 21_600, 43_200, 86_400, 86_400, 86_400]

export interface Attempted {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}

export interface Observed {
  readonly letters: ReadonlyArray<Letter & { readonly url: string }>
  readonly attempted: ReadonlyArray<Attempted>
  /** What a merchant asked to wait; nothing when 0. */
  readonly retryAfterMs: (url: string) => number
}

export interface Judged {
  readonly deliveries: number
  readonly attempts: number
  readonly gaps: number
  readonly outOfStep: ReadonlyArray<string>
  /** Of the waits nobody asked to lengthen, to the scheduled ones, least first. */
  readonly ratios: ReadonlyArray<number>
  readonly ungenuine: number
  /** Attempts with the headers of Standard Webhooks. */
  readonly standard: number
  readonly unended: number
}

const ms = DateTime.toEpochMillis

interface Gap {
  readonly n: number
  readonly scheduledMs: number
  readonly gapMs: number
  readonly askedMs: number
}

const gapsOf = ({ attempts }: Attempted, askedMs: number): ReadonlyArray<Gap> =>
  attempts.slice(1).flatMap((next, at) => {
    const before = attempts[at]
    const seconds = scheduleSeconds[at]
    if (before === undefined || seconds === undefined) return []
    const gapMs = ms(next.at) - ms(before.at) - before.durationMs
    // A longer wait may be asked for, up to the next step of the schedule.
    const longestMs = (scheduleSeconds[at + 1] ?? seconds) * 1000
    return [
      { n: at + 1, scheduledMs: seconds * 1000, gapMs, askedMs: Math.min(askedMs, longestMs) }
    ]
  })

/** Rounding to a millisecond is no fault. */
const isInStep = ({ askedMs, gapMs, scheduledMs }: Gap): boolean =>
  gapMs === askedMs || Math.abs(gapMs - scheduledMs) <= 0.2 * scheduledMs + 1

/** Fresh timestamps and one body: each attempt of a delivery says another instant and the same bytes. */
const areAlike = (letters: ReadonlyArray<Letter>): boolean =>
  new Set(letters.map(({ body }) => body)).size === 1 &&
  new Set(letters.map(({ headers }) => headers["svc-webhook-timestamp"])).size === letters.length &&
  new Set(letters.map(({ headers }) => headers["svc-webhook-sequence"])).size === 1

const isEnded = ({ attempts, delivery }: Attempted): boolean =>
  (delivery.status === "failed" && attempts.length === 10) ||
  (delivery.status === "delivered" && attempts.length <= 10)

export const judged = ({ attempted, letters, retryAfterMs }: Observed): Judged => {
  const gaps = attempted.flatMap((each) => gapsOf(each, retryAfterMs(each.delivery.url)))
  const byDelivery = Map.groupBy(
    letters,
    ({ headers, url }) => `${url} ${headers["svc-webhook-id"]}`
  )
  const unlike = [...byDelivery.values()].filter((each) => !areAlike(each)).length
  return {
    deliveries: attempted.length,
    attempts: letters.length,
    gaps: gaps.length,
    outOfStep: gaps
      .filter((gap) => !isInStep(gap))
      .map(({ gapMs, n, scheduledMs }) => `wait ${n} of ${gapMs} ms for ${scheduledMs} ms`),
    ratios: gaps
      .filter(({ askedMs, gapMs }) => gapMs !== askedMs)
      .map(({ gapMs, scheduledMs }) => gapMs / scheduledMs)
      .toSorted((one, other) => one - other),
    ungenuine: letters.filter((letter) => !isGenuine(letter)).length + unlike,
    standard: letters.filter(({ headers }) => headers["webhook-id"] !== undefined).length,
    unended: attempted.filter((each) => !isEnded(each)).length
  }
}
