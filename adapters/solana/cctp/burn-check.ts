/**
 * What a wallet's key may sign as a burn on Solana, judged by the very bytes that would be signed: each instruction is one
 * that follows from the burn, nobody else signs, and the wallet's own coins cannot be touched.
 */
import { AccountRole, isSignerRole } from "@solana/kit"
import type { Tables } from "../lookup-table.ts"
import { decode, isOurs } from "../swap-check.ts"
import * as Burn from "./burn.ts"

/** Why the bytes must not be signed for the burn; undefined when they may. */
export const violation = (
  bytes: Uint8Array,
  draft: Burn.Draft,
  tables: Tables
): string | undefined => {
  const decoded = decode(bytes, tables)
  if (decoded === undefined) return "the message cannot be read"
  const { burn, conditions, event, relayer } = draft
  const own = Burn.instructions(draft)
  const addresses = decoded.accounts.map((each) => each.address)
  const signers = decoded.accounts.filter((each) => isSignerRole(each.role))
  const wallet = decoded.accounts.find((each) => each.address === burn.from)
  const checks: ReadonlyArray<readonly [holds: boolean, violation: string]> = [
    [addresses[0] === relayer, "another account would pay the fee"],
    [
      signers.length === 3 &&
        [relayer, event, burn.from].every((each) =>
          signers.some(({ address }) => address === each)
        ),
      "others than relayer, wallet and the message's account would sign"
    ],
    [wallet?.role === AccountRole.READONLY_SIGNER, "the wallet's own coins could be taken"],
    [new Set(addresses).size === addresses.length, "an account is named twice"],
    [decoded.lifetime === conditions.blockhash, "it would live by another block"],
    [decoded.instructions.length === own.length, "it has other instructions than a burn"],
    [
      own.every(({ instruction }, at) => isOurs(decoded.instructions[at], instruction)),
      "an instruction is none that follows from the burn"
    ]
  ]
  return checks.find(([holds]) => !holds)?.[1]
}
