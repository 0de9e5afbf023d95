/** Expiry is computed on read: a pending row past its expiry is expired, even if no sweep has updated it yet. */
import { DateTime } from "effect"

/** The status as it is now: `expired` once what is still pending is over its time. */
export const statusAt = <Status extends string>(
  { expiresAt, status }: { readonly expiresAt: DateTime.Utc; readonly status: Status },
  now: DateTime.Utc
): Status | "expired" =>
  status === "pending" && DateTime.isLessThanOrEqualTo(expiresAt, now) ? "expired" : status
