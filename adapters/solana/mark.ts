/**
 * The mark of a payment: a nonce account at an address that follows from the wallet and the payment's identity. Only
 * the wallet's signature makes it, nobody makes it twice, and who pays makes it in the same transaction.
 */

import { type Address, address, createAddressWithSeed, createNoopSigner } from "@solana/kit"
import {
  getAllocateWithSeedInstruction,
  getInitializeNonceAccountInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS
} from "@solana-program/system"
import { Effect } from "effect"
import { at } from "./ask.ts"

export const markBytes = 80

export interface Known {
  readonly from: string
  /** 32 bytes in hex. */
  readonly identity: string
}

/** 192 bits of the identity, in the 32 characters that a seed has at most. */
export const seedOf = (identity: string): string =>
  Buffer.from(identity, "hex").subarray(0, 24).toString("base64url")

/** The beginning of the identity that a seed was made of, hex; undefined for a seed that is no mark's. */
export const identityOf = (seed: string): string | undefined => {
  const bytes = Buffer.from(seed, "base64url")
  return bytes.length === 24 && bytes.toString("base64url") === seed
    ? bytes.toString("hex")
    : undefined
}

export const addressOf = ({ from, identity }: Known): Effect.Effect<Address> =>
  Effect.promise(() =>
    createAddressWithSeed({
      baseAddress: address(from),
      seed: seedOf(identity),
      programAddress: SYSTEM_PROGRAM_ADDRESS
    })
  )

/**
 * Makes the mark. It is given its whole rent whatever lies at its address already, so that a stranger's coins are
 * neither in the way nor counted on.
 */
export const making = (
  mark: Address,
  { from, identity }: Known,
  { relayer, lamports }: { readonly relayer: string; readonly lamports: bigint }
) => {
  const wallet = createNoopSigner(address(from))
  return [
    getTransferSolInstruction({
      source: createNoopSigner(address(relayer)),
      destination: mark,
      amount: lamports
    }),
    getAllocateWithSeedInstruction({
      newAccount: mark,
      baseAccount: wallet,
      base: wallet.address,
      seed: seedOf(identity),
      space: markBytes,
      programAddress: SYSTEM_PROGRAM_ADDRESS
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: mark, nonceAuthority: wallet.address })
  ]
}

const initialized = 1

/** Whether what a node tells of the address is a mark; a stranger's coins are none. */
export const isMade = (account: unknown): boolean => {
  const text = at(account, "value", "data", 0)
  if (typeof text !== "string" || at(account, "value", "owner") !== SYSTEM_PROGRAM_ADDRESS) {
    return false
  }
  const bytes = Buffer.from(text, "base64")
  return bytes.length === markBytes && bytes.readUInt32LE(4) === initialized
}
