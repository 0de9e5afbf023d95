/**
 * Empties the queue of an endpoint that is sent nothing any more: some of it at once, and the rest, which
 * readers see skipped already, by a chore.
 */
import { Effect } from "effect"
import { maxRows } from "../background/chore.ts"
import { define } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Deliveries } from "./delivery-store.ts"

export class WebhookEndpointEmptying extends define("WEBHOOK_ENDPOINT_EMPTYING", {
  kind: "conflict",
  meaning:
    "The endpoint's waiting deliveries are still being skipped; enable it again in a minute.",
  retryable: true
}) {}

/** Whether nothing is left to skip. */
export const empty = Effect.fnUntraced(function* (endpointId: string) {
  const skipped = yield* (yield* Deliveries).skipWaiting(endpointId, maxRows)
  if (skipped < maxRows) return true
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("chores"))
  return false
})
