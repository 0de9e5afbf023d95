/**
 * A human of an account: a person who signs in to the console and approves with passkeys. What they do
 * stands in the audit log under their own name, never under a key's.
 */
import { type DateTime, Schema } from "effect"
import * as Timestamp from "../time/timestamp.ts"

export interface Human {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly createdAt: DateTime.Utc
}

export const fields = {
  id: Schema.String,
  accountId: Schema.String,
  name: Schema.String,
  createdAt: Timestamp.Encoded
}

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
