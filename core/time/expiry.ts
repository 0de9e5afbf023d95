/** What waits for somebody ends by itself at its expiry, whether or not that was written down by then. */
import { DateTime } from "effect"

/** The status as it is now: `expired` once what is still pending is over its time. */
export const statusAt = <Status extends string>(
  { expiresAt, status }: { readonly expiresAt: DateTime.Utc; readonly status: Status },
  now: DateTime.Utc
): Status | "expired" =>
  status === "pending" && DateTime.isLessThanOrEqualTo(expiresAt, now) ? "expired" : status
