/** An address of an EVM chain as a person wrote it, in its display form. In one case any goes; in mixed case its checksum must be right (EIP-55). */
import { getAddress } from "viem/utils"

export const displayed = (text: string): `0x${string}` | undefined => {
  if (!/^0x[0-9a-fA-F]{40}$/u.test(text)) return undefined
  const checksummed = getAddress(text)
  const digits = text.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || text === checksummed ? checksummed : undefined
}
