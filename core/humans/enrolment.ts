/**
 * Enrolments: one-time links by which a human gets a passkey. Only the digest of a link's token is kept;
 * the link works once, until it runs out or a later one takes its place.
 */
import type { DateTime } from "effect"
import { define } from "../operation/refusal.ts"
import type { Role } from "../operation/role.ts"

/**
 * What a link is for: a human the operator names, new or there already, a human who claims an agent's account, the first
 * passkey of a human whom an owner has invited, or one more that a passkey of theirs has signed for.
 */
export type Purpose = "operator" | "claim" | "invitation" | "second_passkey"

export interface Enrolment {
  readonly id: string
  readonly accountId: string
  readonly purpose: Purpose
  /** Whom the passkey will be of; of a new human, the id they are going to have. */
  readonly humanId: string
  /** What the human is called. */
  readonly name: string
  /** What a new human will be; one there is stays what they are. */
  readonly role: Role
  readonly email: string | null
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  /** When it was used, or withdrawn. */
  readonly endedAt: DateTime.Utc | null
}

/** Hours a link works, unless whoever issues it says otherwise. */
export const defaultHours: Readonly<Record<Purpose, number>> = {
  operator: 24,
  claim: 72,
  invitation: 72,
  second_passkey: 1
}

/** Random base62 characters of a link's token, and of a session's: 256 bits. */
export const tokenLength = 43
const form = /^[0-9A-Za-z]{43}$/u

export const isToken = (text: string): boolean => form.test(text)

/** Where a link leads. The token stands behind the `#`, which no browser sends and no server logs. */
export const linkOf = (siteUrl: string, token: string): string =>
  `${siteUrl}/console/enrol#${token}`

export class EnrolmentNotOpen extends define("ENROLMENT_NOT_OPEN", {
  kind: "not_found",
  meaning: "The one-time link is unknown, already used, withdrawn or expired; request a new one."
}) {}
