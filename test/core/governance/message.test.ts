/** The text of a challenge is what wallets know how to show: EIP-4361, and its form for Solana. */
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { parseSiweMessage } from "viem/siwe"
import { messageOf } from "../../../core/governance/challenge.ts"
import * as Value from "../../support/chain-values.ts"

const draft = {
  id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
  keyId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3f",
  action: "add_recipient" as const,
  payloadHash: "ab".repeat(32),
  signer: { chainId: "base", address: Value.address("0x8ba1f109551bD432803012645Ac136ddd64DBA72") },
  issuedAt: DateTime.makeUnsafe("2026-11-21T10:00:00.000Z"),
  expiresAt: DateTime.makeUnsafe("2026-11-21T10:10:00.000Z")
}
const site = { siteUrl: "https://pay.example.com" }
const wording = { statement: "Allow this.", nonce: "Ab3dEf6hIj" }

it("another reader of EIP-4361 finds every fact in it", () => {
  const read = parseSiweMessage(messageOf(draft, site, wording))
  assert.deepInclude(read, {
    domain: "pay.example.com",
    address: draft.signer.address as `0x${string}`,
    statement: "Allow this.",
    uri: "https://pay.example.com",
    version: "1",
    chainId: 8453,
    nonce: "Ab3dEf6hIj",
    requestId: draft.id
  })
  assert.deepStrictEqual(read.resources, [`urn:bursar:sha256:${draft.payloadHash}`])
  assert.strictEqual(read.issuedAt?.toISOString(), "2026-11-21T10:00:00.000Z")
  assert.strictEqual(read.expirationTime?.toISOString(), "2026-11-21T10:10:00.000Z")
})

it("on Solana it asks for a Solana account and names the chain by its genesis", () => {
  const signer = {
    chainId: "solana",
    address: Value.address("4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T")
  }
  const text = messageOf({ ...draft, signer }, site, wording)
  assert.match(text, /^pay\.example\.com wants you to sign in with your Solana account:\n4Nd1/u)
  assert.include(text, "\nChain ID: 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\n")
})
