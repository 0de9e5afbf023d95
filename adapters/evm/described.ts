/**
 * How a token's contract describes itself, in bytes that anyone may have chosen: read within narrow bounds,
 * and as nothing where it does not fit.
 */

/** Beyond these a name is cut; core cuts it further to what is shown. */
const maxTextBytes = 256

const hex = /^0x(?:[0-9a-f]{2})*$/iu

const bytesOf = (answer: unknown): Uint8Array | undefined =>
  typeof answer === "string" && hex.test(answer) ? Buffer.from(answer.slice(2), "hex") : undefined

const wordAt = (bytes: Uint8Array, at: number): bigint =>
  BigInt(`0x${Buffer.from(bytes.subarray(at, at + 32)).toString("hex")}`)

/** A number in the first word; undefined when there is no whole word. */
export const number = (answer: unknown): bigint | undefined => {
  const bytes = bytesOf(answer)
  return bytes === undefined || bytes.length < 32 ? undefined : wordAt(bytes, 0)
}

const decoder = new TextDecoder()

/** A string, or the fixed bytes that old tokens have in its place; empty when it is neither. */
export const text = (answer: unknown): string => {
  const bytes = bytesOf(answer)
  if (bytes === undefined || bytes.length < 32) return ""
  if (bytes.length === 32) {
    const end = bytes.indexOf(0)
    return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end))
  }
  if (bytes.length < 64 || wordAt(bytes, 0) !== 32n) return ""
  const length = wordAt(bytes, 32)
  const most = Math.min(maxTextBytes, bytes.length - 64)
  const size = length > BigInt(most) ? most : Number(length)
  // A character cut in two at the end is left out.
  return new TextDecoder().decode(bytes.subarray(64, 64 + size), { stream: true })
}
