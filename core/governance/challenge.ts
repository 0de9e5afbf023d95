/**
 * Challenges: a text that an agent's funding wallet signs to govern. One is bound to account, key, action
 * and the hash of the exact body, lasts ten minutes and is good for one change (contract, Co-signers and
 * governance).
 */
import { DateTime, Schema } from "effect"
import { type FundingWallet, families } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import { Id } from "../encoding/id.ts"
import { define } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"

/** What takes a signature of the funding wallet when an agent's key asks for it. */
export const Action = Schema.Literals([
  "add_recipient",
  "approve_recipient",
  "invite_cosigner",
  "remove_cosigner",
  "update_cosigner_rules"
])
export type Action = typeof Action.Type

export interface Challenge {
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  readonly action: Action
  /** SHA-256 over action, account and body in canonical JSON, hex. */
  readonly payloadHash: string
  /** Who must sign: the funding wallet as it was when this was issued. */
  readonly signer: FundingWallet
  /** The exact text to sign; never built anew from anything a caller sends. */
  readonly message: string
  readonly issuedAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly usedAt: DateTime.Utc | null
}

export const lastsMinutes = 10

/** The two fields a governing operation takes beside its own, together or not at all. */
export const input = {
  challengeId: Schema.optionalKey(
    Id("The id of the signed challenge; send it with walletSignature.")
  ),
  walletSignature: Schema.optionalKey(
    Schema.String.check(
      Schema.isMinCodePoints(1),
      Schema.isMaxCodePoints(8192),
      Schema.isPattern(/^[0-9A-Za-z]+$/u, {
        expected: "a signature as the wallet wrote it"
      })
    ).annotate({
      description:
        "The funding wallet's signature over the challenge's message, as the wallet wrote it."
    })
  )
}

/** How a challenge is shown. */
export const View = Schema.Struct({
  challengeId: Schema.String,
  message: Schema.String,
  action: Action,
  payloadHash: Schema.String,
  expiresAt: Timestamp.Encoded
})

export const show = (challenge: Challenge) => ({ ...challenge, challengeId: challenge.id })

type Either<Fields extends Schema.Struct.Fields> = {
  readonly [Name in keyof Fields]: Schema.optionalKey<
    Fields[Name] extends Schema.Constraint ? Fields[Name] : never
  >
}

/** The output of an operation that answers with the challenge first, and once it is signed with its own. */
export const orChallenge = <Fields extends Schema.Struct.Fields>(fields: Fields) => ({
  // Each field is there or all are missing; a struct can say no more than that each may be.
  ...(Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field as never)])
  ) as unknown as Either<Fields>),
  challenge: Schema.optionalKey(View)
})

export class ChallengeExpired extends define("CHALLENGE_EXPIRED", {
  kind: "invalid",
  meaning: "The challenge has expired or was already used; request a new one."
}) {}

export class ChallengeMismatch extends define("CHALLENGE_MISMATCH", {
  kind: "invalid",
  meaning: "The challenge was issued to another key or for another change; request a new one."
}) {}

export class InvalidSignature extends define("INVALID_SIGNATURE", {
  kind: "invalid",
  meaning: "The signature does not match the funding wallet and the challenge's message."
}) {}

export class AgentKeyRequired extends define("AGENT_KEY_REQUIRED", {
  kind: "forbidden",
  meaning: "Only an agent's key can do this; people approve with a passkey instead."
}) {}

interface Site {
  /** Without a trailing slash: `https://pay.example.com`. */
  readonly siteUrl: string
}

export interface Wording {
  /** One line, from checked facts alone. */
  readonly statement: string
  /** Random, at least 8 base62 characters. */
  readonly nonce: string
}

/** What the payload hash is written as among the resources of the text. */
export const resourceOf = (payloadHash: string): string => `urn:bursar:sha256:${payloadHash}`

export const messageOf = (
  challenge: Omit<Challenge, "message" | "usedAt">,
  { siteUrl }: Site,
  { statement, nonce }: Wording
): string => {
  const chain = Chain.find(challenge.signer.chainId)
  if (chain === undefined) throw new Error(`There is no chain ${challenge.signer.chainId}.`)
  const family = families[chain.family]
  return [
    `${siteUrl.replace(/^https?:\/\//u, "")} wants you to sign in with your ${family.accountWord} account:`,
    challenge.signer.address,
    "",
    statement,
    "",
    `URI: ${siteUrl}`,
    "Version: 1",
    `Chain ID: ${family.chainReference(chain)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${DateTime.formatIso(challenge.issuedAt)}`,
    `Expiration Time: ${DateTime.formatIso(challenge.expiresAt)}`,
    `Request ID: ${challenge.id}`,
    "Resources:",
    `- ${resourceOf(challenge.payloadHash)}`
  ].join("\n")
}
