/**
 * Letters: messages the treasury owes somebody. One is written in the transaction of the change it tells
 * of and carried afterwards, at least once; what it says is sealed, and erased when it is over.
 */
import type { DateTime } from "effect"

/** Why a letter is written; one of a later date makes those of the same purpose void. */
export type Purpose = "claim_link"

export interface Letter {
  readonly id: string
  readonly accountId: string
  readonly purpose: Purpose
  readonly to: string
  readonly subject: string
  /** What it says, sealed at its row; null once it is over. */
  readonly sealedText: string | null
  readonly status: "queued" | "sent" | "failed" | "void"
  /** How often it was tried, the running attempt counted. */
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: DateTime.Utc
  /** From then on what it says is of no use to anybody. */
  readonly expiresAt: DateTime.Utc
  readonly endedAt: DateTime.Utc | null
}

/** About sixteen hours of tries; after that the letter is dead, and its row and the log say so. */
export const maxAttempts = 200

/** Where a letter's text is sealed. */
export const placeOf = ({ accountId, id }: Pick<Letter, "accountId" | "id">) => ({
  table: "letter",
  row: id,
  account: accountId
})
