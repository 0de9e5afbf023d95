/**
 * The text of a challenge: EIP-4361 on EVM chains, its CAIP-122 form elsewhere. A wallet shows it as it
 * is, so it says in one line what is signed, and holds no text that anybody outside wrote.
 */
import { DateTime } from "effect"
import { families } from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import type { Challenge } from "./challenge.ts"

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
