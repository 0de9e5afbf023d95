/**
 * One event on its way to one endpoint. The retry schedule is data (spec section 6, Delivery
 * guarantees): ten attempts over about 72 hours; a spent delivery stays as a dead letter.
 */
import type { DateTime } from "effect"
import { Schema } from "effect"
import type { MessageType } from "./endpoint.ts"

export const DeliveryStatus = Schema.Literals([
  "pending",
  "delivered",
  "retrying",
  "failed",
  "skipped",
  "gone"
])
export type DeliveryStatus = typeof DeliveryStatus.Type

export interface Delivery {
  readonly id: string
  readonly accountId: string
  readonly eventId: string
  readonly eventType: MessageType
  readonly endpointId: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly maxAttempts: number
  /** Due when this has passed and the status is pending or retrying. */
  readonly nextAttemptAt: DateTime.Utc | null
  readonly lastResponseStatus: number | null
  readonly lastError: string | null
  readonly createdAt: DateTime.Utc
  readonly deliveredAt: DateTime.Utc | null
  /** The delivery this one replays. */
  readonly replayOf: string | null
  /** Its place among all that was begun to be sent to its endpoint, from 1 on; null until the first attempt. */
  readonly sequence: number | null
}

export interface Attempt {
  readonly n: number
  readonly at: DateTime.Utc
  readonly trigger: "scheduled" | "manual"
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly responseBodyTruncated: string | null
  readonly error: string | null
}

export const waitingStatuses = ["pending", "retrying"] as const

/** Whether it is still to be sent, now or later. */
export const isWaiting = ({ status }: Pick<Delivery, "status">): boolean =>
  waitingStatuses.some((waiting) => waiting === status)

/** Whether it may be deleted once it is old: it has ended, and is no dead letter. */
export const isForgettable = (delivery: Pick<Delivery, "status">): boolean =>
  !isWaiting(delivery) && delivery.status !== "failed"

/** It will not be sent again, as its endpoint was removed or disabled. */
export const skipped = (delivery: Delivery): Delivery => ({
  ...delivery,
  status: "skipped",
  nextAttemptAt: null
})

/** How an attempt leaves a delivery: one that was skipped while it was under way is not tried again. */
export const concluded = (before: Delivery, after: Delivery): Delivery =>
  before.status === "skipped" && after.status === "retrying" ? skipped(after) : after

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The wait after the first, second, … failed attempt. */
export const waitsMs: ReadonlyArray<number> = [
  30 * second,
  2 * minute,
  10 * minute,
  hour,
  6 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
  24 * hour
]

export const maxAttempts = waitsMs.length + 1

/** The wait after attempt `n` failed, jittered by ±20 % from a fraction in [0, 1). */
export const waitMs = (n: number, fraction: number): number =>
  Math.round((waitsMs[n - 1] ?? 24 * hour) * (0.8 + 0.4 * fraction))
