/** A row of the delivery table, and the delivery it tells of. */
import type { Delivery } from "../../core/webhooks/delivery.ts"
import * as Column from "./column.ts"

export interface Row {
  readonly id: string
  readonly account_id: string
  readonly event_id: string
  readonly event_type: Delivery["eventType"]
  readonly endpoint_id: string
  readonly url: string
  readonly status: Delivery["status"]
  readonly attempt_count: number
  readonly max_attempts: number
  readonly next_attempt_at: Date | null
  readonly last_response_status: number | null
  readonly last_error: string | null
  readonly created_at: Date
  readonly delivered_at: Date | null
  readonly replay_of: string | null
  readonly sequence: bigint | string | number | null
}

export const read = (row: Row): Delivery => ({
  id: row.id,
  accountId: row.account_id,
  eventId: row.event_id,
  eventType: row.event_type,
  endpointId: row.endpoint_id,
  url: row.url,
  status: row.status,
  attemptCount: row.attempt_count,
  maxAttempts: row.max_attempts,
  nextAttemptAt: Column.instantOrNull(row.next_attempt_at),
  lastResponseStatus: row.last_response_status,
  lastError: row.last_error,
  createdAt: Column.instant(row.created_at),
  deliveredAt: Column.instantOrNull(row.delivered_at),
  replayOf: row.replay_of,
  sequence: row.sequence === null ? null : Number(row.sequence)
})
