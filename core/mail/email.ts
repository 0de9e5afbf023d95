/**
 * Outgoing email: messages to people. One is written in the transaction of the change it reports
 * and sent afterwards, at least once; its text is encrypted, and erased when it has ended.
 */
import type { DateTime } from "effect"

/** Why an email is written. */
export type Purpose = "claim_link" | "invitation" | "notice" | "digest"

/** Whether a later email makes those before it useless. */
export const supersedes: Readonly<Record<Purpose, boolean>> = {
  claim_link: true,
  invitation: true,
  notice: false,
  digest: false
}

export interface Email {
  readonly id: string
  readonly accountId: string
  readonly purpose: Purpose
  readonly to: string
  readonly subject: string
  /** What it says, sealed at its row; null once it is over. */
  readonly sealedText: string | null
  readonly status: "queued" | "sent" | "failed" | "superseded"
  /** How often it was tried, the running attempt counted. */
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: DateTime.Utc
  /** From then on what it says is of no use to anybody. */
  readonly expiresAt: DateTime.Utc
  readonly endedAt: DateTime.Utc | null
}

/** About sixteen hours of tries; after that the email is dead, and its row and the log say so. */
export const maxAttempts = 200

/** Where an email's text is sealed. */
export const placeOf = ({ accountId, id }: Pick<Email, "accountId" | "id">) => ({
  table: "outbound_email",
  row: id,
  account: accountId
})
