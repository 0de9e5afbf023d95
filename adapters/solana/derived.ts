/** Addresses that follow from seeds and a program, and that no key belongs to. Found at once, without asking anybody. */
import { createHash } from "node:crypto"
import { type Address, address, isOffCurveAddress } from "@solana/kit"
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import * as Base58 from "../../core/encoding/base58.ts"

/** A seed as text, as bytes, or as the key that an address is. */
export type Seed = string | Uint8Array | { readonly address: string }

const keyBytes = 32
const maxBumps = 256

export const keyOf = (text: string): Uint8Array => {
  const key = Base58.decode(text, keyBytes)
  if (key === undefined) throw new Error(`${text} is no address.`)
  return key
}

const bytesOf = (seed: Seed): Uint8Array => {
  if (typeof seed === "string") return Buffer.from(seed)
  return seed instanceof Uint8Array ? seed : keyOf(seed.address)
}

/** The first of them, from the highest bump down, that lies off the curve. */
export const derive = (
  program: string,
  ...seeds: ReadonlyArray<Seed>
): { readonly address: Address; readonly bump: number } => {
  for (let bump = maxBumps - 1; bump >= 0; bump--) {
    const hash = createHash("sha256")
    for (const seed of seeds) hash.update(bytesOf(seed))
    const digest = hash
      .update(Uint8Array.of(bump))
      .update(keyOf(program))
      .update("ProgramDerivedAddress")
      .digest()
    const found = address(Base58.encode(digest))
    if (isOffCurveAddress(found)) return { address: found, bump }
  }
  throw new Error("No address follows from these seeds.")
}

/** The one account that an owner's tokens of a mint lie in. */
export const tokenAccountOf = (owner: string, mint: string): Address =>
  derive(
    ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
    { address: owner },
    { address: TOKEN_PROGRAM_ADDRESS },
    { address: mint }
  ).address
