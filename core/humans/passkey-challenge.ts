/**
 * Passkey challenges: one question to one authenticator. A passkey challenge is asked by one browser, for one purpose, is
 * good for two minutes and is deleted when it is answered, whatever the answer was.
 */
import type { DateTime } from "effect"
import * as Base64 from "../encoding/base64.ts"
import { define } from "../operation/refusal.ts"

export type Purpose =
  | "enrol"
  | "login"
  | "add_passkey"
  | "approve_proposal"
  | "sign_governance"
  | "sign_call"

export interface PasskeyChallenge {
  readonly id: string
  readonly purpose: Purpose
  /** 32 random bytes, base64url. */
  readonly nonce: string
  /** What it is about: an enrolment, a proposal, a governance request. */
  readonly subject: string | null
  /** Who is asked; null while nobody knows who is signing in. */
  readonly humanId: string | null
  /** The digest of the secret in the cookie of the browser that asked. */
  readonly browserId: string
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export const lastsSeconds = 120

export const base64url = (bytes: Uint8Array): string =>
  Base64.encode(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

export class PasskeyChallengeExpired extends define("PASSKEY_CHALLENGE_EXPIRED", {
  kind: "invalid",
  meaning:
    "The passkey challenge has expired, was already answered, or belongs to another browser or action; start again."
}) {}
