/**
 * Values that stand in every payment's rows as text, kept as the bytes that they are: ids, hashes, addresses in their
 * letters' case, numbers, and words that the log says over and over. Each text has one form, so that what is equal is
 * equal in bytes, and comes back to the letter for ever: words are only added to the list's end.
 */
import { words } from "./terse-words.ts"

/** The first byte of a value says what follows. From `firstWord` on it is a word itself. */
const text = 0
const uuid = 1
const hex = 2
const casedHex = 3
const number = 4
/** What UTF-8 has no bytes for. */
const unpaired = 5
const firstWord = 16

const placeOf = new Map(words.map((word, at) => [word, at + firstWord]))
if (placeOf.size !== words.length || words.length > 256 - firstWord) {
  throw new Error("Words of the list are told apart by one byte")
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u
const hexMark = "0x"
const hexForm = /^0x(?:[0-9a-f]{2})+$/u
const casedHexForm = /^0x(?:[0-9A-Fa-f]{2})+$/u
/** Below 2^48, as six bytes hold it; a number has no other spelling. */
const numberForm = /^(?:0|[1-9]\d{0,13})$/u

/** Which digits are capitals, a bit for each. */
const capitalsOf = (digits: string): Uint8Array => {
  const mask = new Uint8Array(Math.ceil(digits.length / 8))
  for (let at = 0; at < digits.length; at++) {
    if (/[A-F]/u.test(digits.charAt(at))) mask[at >> 3] = (mask[at >> 3] ?? 0) | (1 << (at & 7))
  }
  return mask
}

const withCapitals = (digits: string, mask: Uint8Array): string =>
  [...digits]
    .map((digit, at) => ((mask[at >> 3] ?? 0) & (1 << (at & 7)) ? digit.toUpperCase() : digit))
    .join("")

const numberBytes = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(value, 0, 6)
  const first = bytes.findIndex((byte) => byte > 0)
  return bytes.subarray(first < 0 ? 5 : first)
}

/** A value by itself: its bytes end where it ends. */
export const encode = (value: string): Uint8Array => {
  const word = placeOf.get(value)
  if (word !== undefined) return Buffer.of(word)
  if (uuidForm.test(value)) {
    return Buffer.concat([Buffer.of(uuid), Buffer.from(value.replaceAll("-", ""), "hex")])
  }
  if (hexForm.test(value)) {
    return Buffer.concat([Buffer.of(hex), Buffer.from(value.slice(2), "hex")])
  }
  if (casedHexForm.test(value)) {
    const digits = value.slice(2)
    return Buffer.concat([Buffer.of(casedHex), Buffer.from(digits, "hex"), capitalsOf(digits)])
  }
  if (numberForm.test(value)) {
    return Buffer.concat([Buffer.of(number), numberBytes(Number(value))])
  }
  return value.isWellFormed()
    ? Buffer.concat([Buffer.of(text), Buffer.from(value)])
    : Buffer.concat([Buffer.of(unpaired), Buffer.from(value, "utf16le")])
}

const uuidOf = (digits: string) =>
  [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20)
  ].join("-")

/** Of so many bytes, digits take eight bits each two and one more for the case of each. */
const casedHexOf = (rest: Buffer): string => {
  const length = Math.floor((rest.length * 4) / 5)
  return hexMark + withCapitals(rest.subarray(0, length).toString("hex"), rest.subarray(length))
}

export const decode = (kept: Uint8Array): string => {
  const [kind = text] = kept
  const rest = Buffer.from(kept.buffer, kept.byteOffset + 1, Math.max(0, kept.length - 1))
  if (kind === text) return rest.toString()
  if (kind === uuid) return uuidOf(rest.toString("hex"))
  if (kind === hex) return hexMark + rest.toString("hex")
  if (kind === casedHex) return casedHexOf(rest)
  if (kind === unpaired) return rest.toString("utf16le")
  if (kind === number) return String(rest.readUIntBE(0, rest.length))
  const word = words[kind - firstWord]
  if (word === undefined)
    throw new Error("A value is kept in a way that this version does not know")
  return word
}

/** The length of a value before it: one byte up to 254, else four more. */
const long = 255

const lengthOf = (length: number): Uint8Array => {
  if (length < long) return Buffer.of(length)
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(long, 0)
  bytes.writeUInt32BE(length, 1)
  return bytes
}

/** Several values, one after the other. A word says by itself where it ends, and so does an id. */
export const encodeAll = (values: ReadonlyArray<string>): Uint8Array =>
  Buffer.concat(
    values.flatMap((value) => {
      const kept = encode(value)
      const kind = kept[0] ?? text
      if (kind >= firstWord || kind === uuid) return [kept]
      return [kept.subarray(0, 1), lengthOf(kept.length - 1), kept.subarray(1)]
    })
  )

export const decodeAll = (kept: Uint8Array): ReadonlyArray<string> => {
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length)
  const values: Array<string> = []
  let at = 0
  while (at < bytes.length) {
    const kind = bytes.readUInt8(at)
    if (kind >= firstWord || kind === uuid) {
      const end = at + (kind === uuid ? 17 : 1)
      values.push(decode(bytes.subarray(at, end)))
      at = end
      continue
    }
    const short = bytes.readUInt8(at + 1)
    const [length, from] = short < long ? [short, at + 2] : [bytes.readUInt32BE(at + 2), at + 6]
    values.push(decode(Buffer.concat([Buffer.of(kind), bytes.subarray(from, from + length)])))
    at = from + length
  }
  return values
}
