/**
 * Base64 (RFC 4648, section 4) of hashes, keys and signatures. What is read back is read in its one
 * proper spelling only, so that no two texts stand for the same bytes.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

export const encode = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
    const bits = (first << 16) | (second << 8) | third
    text += [18, 12, 6, 0].map((shift) => alphabet.charAt((bits >> shift) & 63)).join("")
  }
  const spare = (3 - (bytes.length % 3)) % 3
  return text.slice(0, text.length - spare) + "=".repeat(spare)
}

/** The bytes; undefined for anything that `encode` would not have written. */
export const decode = (text: string): Uint8Array | undefined => {
  if (!form.test(text)) return undefined
  const digits = text.replace(/=+$/u, "")
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let held = 0
  let written = 0
  for (const digit of digits) {
    bits = ((bits << 6) | alphabet.indexOf(digit)) & 0xffff
    held += 6
    if (held < 8) continue
    held -= 8
    bytes[written++] = (bits >> held) & 0xff
  }
  return encode(bytes) === text ? bytes : undefined
}
