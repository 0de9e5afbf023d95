/**
 * Sessions: a human signed in at one browser. Only the digest of a session's token is kept; it ends after
 * twelve hours, after half an hour without use, at sign-out, and with its passkey.
 */
import { DateTime } from "effect"
import { define } from "../operation/refusal.ts"

export interface Session {
  readonly id: string
  readonly accountId: string
  readonly humanId: string
  /** The passkey it was opened with; suspending that one ends it. */
  readonly passkeyId: string
  readonly createdAt: DateTime.Utc
  /** To the minute. */
  readonly lastSeenAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export const lastsHours = 12
export const idleMinutes = 30

export const isAlive = ({ expiresAt, lastSeenAt }: Session, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, expiresAt) &&
  DateTime.isLessThan(now, DateTime.add(lastSeenAt, { minutes: idleMinutes }))

export class SignInRequired extends define("SIGN_IN_REQUIRED", {
  kind: "unauthenticated",
  meaning:
    "No one is signed in in this browser, or the session has expired; sign in with a passkey."
}) {}

export const signInRequired = () =>
  new SignInRequired({ message: "Sign in with your passkey; your session has ended." })
