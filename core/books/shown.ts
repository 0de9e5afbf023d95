/** Addresses as people read them. A checksum costs more than all the rest of a line, so the last ones are kept. */
import { type Address, shown } from "../chains/address.ts"

const maxKept = 2_000
const texts = new Map<string, Address>()

export const shownAddress = (chainId: string, address: string): Address => {
  const key = `${chainId} ${address}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const made = shown(chainId, address)
  if (texts.size >= maxKept) texts.clear()
  texts.set(key, made)
  return made
}
