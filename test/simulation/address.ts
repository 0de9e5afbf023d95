/** Addresses that are nobody's of the treasury, in the form of any chain that a world may have. */
import { createHash } from "node:crypto"
import * as Address from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"

/** The same for the same number. */
export const anAddressOn = (chainId: string, number: number): string => {
  const hex = `0x${number.toString(16).padStart(2, "0").repeat(20).slice(0, 40)}`
  return (
    Address.parse(chainId, hex) ?? Base58.encode(createHash("sha256").update(`${number}`).digest())
  )
}
