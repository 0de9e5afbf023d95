/**
 * A human of an account: a person who signs in to the console and approves with passkeys. What they do
 * stands in the audit log under their own name, never under a key's.
 */
import { type DateTime, Schema } from "effect"
import { Role } from "../operation/role.ts"
import * as Timestamp from "../time/timestamp.ts"

export interface Human {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** Where they are told what waits for them; null when nobody has said. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: DateTime.Utc
  /** When they made their first passkey; null while their invitation waits. */
  readonly joinedAt: DateTime.Utc | null
  /** From then on nothing they sign counts; their name stays in the history. */
  readonly removedAt: DateTime.Utc | null
}

export const fields = {
  id: Schema.String,
  accountId: Schema.String,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  role: Role,
  createdAt: Timestamp.Encoded,
  joinedAt: Schema.NullOr(Timestamp.Encoded)
}

/** Whether two ways of writing it are one mailbox, as far as nearly every mail server goes. */
export const isSameEmail = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one.toLowerCase() === other.toLowerCase()

/** Humans one account may have, and passkeys one human may. */
export const maxHumans = 50
export const maxPasskeys = 20

/** How a human stands in the audit log, and as who proposed or asked for something. */
export const actorOf = (humanId: string): string => `human:${humanId}`

/** Whether a caller is a human, and no key. */
export const isActor = (callerId: string): boolean => callerId.startsWith(actorOf(""))

/** The human behind an actor; undefined when it is none. */
export const humanIdOf = (actor: string): string | undefined =>
  isActor(actor) ? actor.slice(actorOf("").length) : undefined
