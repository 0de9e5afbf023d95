/**
 * The one form a plain account's signature may have: 65 bytes, `s` in the lower half of the curve's order
 * (EIP-2). Its twin with a high `s` verifies just as well, so it is refused before anybody recovers it.
 */

/** Half the order of secp256k1. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const form = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/u

export const isPlainForm = (signature: string): boolean => {
  const parts = form.exec(signature.toLowerCase())
  if (parts === null) return false
  const [r, s] = [BigInt(`0x${parts[1]}`), BigInt(`0x${parts[2]}`)]
  return r > 0n && s > 0n && s <= halfOrder
}
