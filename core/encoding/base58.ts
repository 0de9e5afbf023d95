/**
 * Base58 in Bitcoin's alphabet, of addresses, signatures and keys: each leading 1 is a byte of zeros, and every
 * text stands for one sequence of bytes only.
 */

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** What a text of the alphabet has, and nothing else. */
const form = /^[1-9A-HJ-NP-Za-km-z]+$/u

export const encode = (bytes: Uint8Array): string => {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  let text = ""
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text
  const firstSet = bytes.findIndex((byte) => byte !== 0)
  return "1".repeat(firstSet === -1 ? bytes.length : firstSet) + text
}

/** The bytes, when there are exactly so many; undefined for any other text. */
export const decode = (text: string, length: number): Uint8Array | undefined => {
  // A byte is at least one digit and at most 1.37 of them; a longer text is not worth reading.
  if (text.length < length || text.length > length * 1.4 || !form.test(text)) return undefined
  let value = 0n
  for (const digit of text) value = value * 58n + BigInt(alphabet.indexOf(digit))
  const bytes = new Uint8Array(length)
  let at = length
  for (; value > 0n && at > 0; value >>= 8n) bytes[--at] = Number(value & 0xffn)
  const zeros = text.search(/[^1]|$/u)
  return value === 0n && at === zeros ? bytes : undefined
}
