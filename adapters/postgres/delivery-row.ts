/** The tables of deliveries and of their attempts. */
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import { integer, table, text, timestamp, uuid } from "./table.ts"

export const deliveryTable = table<Delivery>("delivery", {
  id: uuid,
  accountId: uuid,
  eventId: text,
  eventType: text,
  endpointId: uuid,
  url: text,
  status: text,
  attemptCount: integer,
  maxAttempts: integer,
  nextAttemptAt: timestamp,
  lastResponseStatus: integer,
  lastError: text,
  createdAt: timestamp,
  deliveredAt: timestamp,
  replayOf: uuid,
  sequence: integer
})

export const attemptTable = table<Attempt>(
  "delivery_attempt",
  {
    n: integer,
    at: timestamp,
    trigger: text,
    durationMs: integer,
    responseStatus: integer,
    responseBodyTruncated: text,
    error: text
  },
  ["n"]
)
