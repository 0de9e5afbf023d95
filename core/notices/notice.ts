/**
 * Notices: what somebody of an account should look at. Each is about one thing and exists once, however often and by
 * how many processes it is found; people are told of it by e-mail as the account's settings say, and
 * programs by the webhook endpoints that ask for it.
 */
import { DateTime, Schema } from "effect"
import type { Role } from "../operation/role.ts"

export const NoticeType = Schema.Literals([
  "approval_requested",
  "deposit_needs_review",
  "send_failed",
  "trade_stuck",
  "bridge_refused",
  "endpoint_failing",
  "relayer_low",
  "token_changed"
])
export type NoticeType = typeof NoticeType.Type

export interface Notice {
  readonly id: string
  readonly accountId: string
  readonly type: NoticeType
  /** What it is about: an account has one notice of a type about it, for ever. */
  readonly subject: string
  /** The least role of those who can see to it. */
  readonly role: Role
  /** A line for people. */
  readonly summary: string
  /** Where it is seen to, below the site's address. */
  readonly path: string
  readonly createdAt: DateTime.Utc
  /** When it was passed on to people; null until then. */
  readonly toldAt: DateTime.Utc | null
  /** When the digest that holds it is due; null when it is in none, or was sent. */
  readonly digestAt: DateTime.Utc | null
}

/** The hour of the day, in UTC, at which digests are sent. */
const digestHour = 8

/** The next time that digests are sent. */
export const nextDigestAt = (now: DateTime.Utc): DateTime.Utc => {
  const today = DateTime.add(DateTime.startOf(now, "day"), { hours: digestHour })
  return DateTime.isGreaterThan(today, now) ? today : DateTime.add(today, { days: 1 })
}

/** E-mails about one type of thing that an account gets in a day; what is more waits for the digest. */
export const maxEmailsADay = 20
