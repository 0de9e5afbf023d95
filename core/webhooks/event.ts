/**
 * A webhook event: written in the transaction of the change it tells of, its bytes fixed from then on. A notice is
 * written and sent in the same way, and is no event: no list of events has it.
 */
import type { DateTime } from "effect"
import type { MessageType } from "./endpoint.ts"

/** The version every envelope carries (spec section 9). */
export const apiVersion = "2026-08-19"

export interface Event {
  /** `evt_`, or `ntc_` of a notice, and 24 base62 characters; the receiver's key to tell duplicates. */
  readonly id: string
  /** What its envelope says it is. */
  readonly object: "event" | "notice"
  readonly accountId: string
  readonly type: MessageType
  /** The payment request it tells of; null for a test or a notice. */
  readonly pid: string | null
  /** Which event of its request this is, from 1 on; null for a test or a notice. */
  readonly version: number | null
  /** The exact JSON text that is signed and sent. */
  readonly body: string
  readonly createdAt: DateTime.Utc
}
