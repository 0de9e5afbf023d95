/** A webhook event: written in the transaction of the change it tells of, its bytes fixed from then on. */
import type { DateTime } from "effect"
import type { EventType } from "./endpoint.ts"

/** The version every envelope carries (spec section 9). */
export const apiVersion = "2026-08-19"

export interface Event {
  /** `evt_` and 24 base62 characters; the receiver's key to tell duplicates. */
  readonly id: string
  readonly accountId: string
  readonly type: EventType
  /** The payment request it tells of; null for a test. */
  readonly pid: string | null
  /** Which event of its request this is, from 1 on; null for a test. */
  readonly version: number | null
  /** The exact JSON text that is signed and sent. */
  readonly body: string
  readonly createdAt: DateTime.Utc
}
