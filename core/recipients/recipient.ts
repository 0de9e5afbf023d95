/**
 * The allowlist: who the treasury may send to. A new recipient waits out a cooldown of 24 hours (spec
 * section 3); whether it may be paid is decided by the clock and the status together, never by one alone.
 */

import { DateTime, Schema } from "effect"
import { Address } from "../chains/address.ts"
import { Id } from "../encoding/id.ts"
import * as Timestamp from "../time/timestamp.ts"

export const cooldownHours = 24

export interface Recipient {
  readonly id: string
  readonly accountId: string
  readonly label: string
  readonly address: Address
  readonly chainId: string
  /** As stored: a pending one is approved by the passage of its cooldown. */
  readonly status: "pending" | "approved" | "revoked"
  readonly cooldownEndsAt: DateTime.Utc
  /** A wallet of the account itself: approved at once and free of caps. */
  readonly isOwn: boolean
  /** What each payment to it must carry on the chain, such as an exchange's deposit memo; null when nothing. */
  readonly requiredMemo: string | null
  readonly createdAt: DateTime.Utc
}

/** What may change about a recipient; whom it names never does. */
export const changing = [
  "label",
  "status",
  "cooldownEndsAt",
  "isOwn"
] as const satisfies ReadonlyArray<keyof Recipient>

/** At the end of the cooldown to the millisecond, a pending recipient is an approved one. */
export const isApproved = (recipient: Recipient, now: DateTime.Utc): boolean =>
  recipient.status === "approved" ||
  (recipient.status === "pending" && DateTime.isGreaterThanOrEqualTo(now, recipient.cooldownEndsAt))

export const isCoolingDown = (recipient: Recipient, now: DateTime.Utc): boolean =>
  recipient.status === "pending" && !isApproved(recipient, now)

export const fields = {
  id: Schema.String,
  label: Schema.String,
  address: Address,
  chainId: Schema.String,
  status: Schema.Literals(["pending", "approved", "revoked"]),
  cooldownActive: Schema.Boolean,
  cooldownEndsAt: Timestamp.Encoded,
  requiredMemo: Schema.NullOr(Schema.String).annotate({
    description: "The memo that each payment to it carries on the chain; null if none."
  }),
  createdAt: Timestamp.Encoded
}

export const view = (recipient: Recipient, now: DateTime.Utc) => ({
  ...recipient,
  status: isApproved(recipient, now) ? ("approved" as const) : recipient.status,
  cooldownActive: isCoolingDown(recipient, now)
})

export const RecipientId = Id("The recipient's id, from list_recipients.")

export const missing = { param: "recipientId", what: "recipient", operation: "list_recipients" }
