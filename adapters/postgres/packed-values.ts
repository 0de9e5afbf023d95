/**
 * Values that stand in texts and that nothing deflates: ids, hashes, addresses, times. Each is taken out of its text as
 * the bytes that it is, and a mark stays in its place. A mark means the same for ever: another one gets the next number.
 */
import { DateTime } from "effect"

const hexMark = "0x"

interface Kind {
  /** How many bytes it takes. */
  readonly size: number
  /** The whole number that it stands for, in as many bytes; undefined when `text` would give another text of it. */
  readonly bytes: (text: string) => Buffer | undefined
  readonly text: (number: bigint) => string
}

const hexOf = (number: bigint, digits: number) => number.toString(16).padStart(digits, "0")

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** By the code of a letter. */
const digits = new Uint8Array(128)
for (let digit = 0; digit < base62.length; digit++) digits[base62.charCodeAt(digit)] = digit

/** So many digits of it make a number that is exact, and how many such numbers there are. */
const exactDigits = 8
const powers = Array.from({ length: exactDigits + 1 }, (_, count) => 62n ** BigInt(count))

const base62Of = (length: number, size: number): Kind => ({
  size,
  bytes: (text) => {
    let whole = 0n
    for (let from = 0; from < text.length; from += exactDigits) {
      const to = Math.min(from + exactDigits, text.length)
      let number = 0
      for (let at = from; at < to; at++) number = number * 62 + (digits[text.charCodeAt(at)] ?? 0)
      whole = whole * (powers[to - from] ?? 0n) + BigInt(number)
    }
    return Buffer.from(hexOf(whole, 2 * size), "hex")
  },
  text: (number) => {
    let text = ""
    for (let rest = number; text.length < length; rest /= 62n) {
      text = base62.charAt(Number(rest % 62n)) + text
    }
    return text
  }
})

/** Twenty bytes, and a bit for each letter that is a capital. */
const address: Kind = {
  size: 25,
  bytes: (text) => {
    const bytes = Buffer.alloc(25)
    bytes.write(text.slice(2), "hex")
    for (let digit = 0; digit < 40; digit++) {
      const letter = text.charAt(2 + digit)
      const isCapital = letter >= "A" && letter <= "F"
      if (isCapital)
        bytes[20 + (digit >> 3)] = (bytes[20 + (digit >> 3)] ?? 0) | (128 >> (digit & 7))
    }
    return bytes
  },
  text: (number) => {
    const capitals = BigInt.asUintN(40, number).toString(2).padStart(40, "0")
    const digits = [...hexOf(number >> 40n, 40)]
    return (
      hexMark +
      digits.map((digit, at) => (capitals[at] === "1" ? digit.toUpperCase() : digit)).join("")
    )
  }
}

const hexBytes = (text: string) => Buffer.from(text.slice(2), "hex")

const numberBytes = (number: number, size: number) => {
  const bytes = Buffer.alloc(size)
  bytes.writeUIntBE(number, 0, size)
  return bytes
}

const isoOf = (ms: number) => DateTime.formatIso(DateTime.makeUnsafe(ms))

const uuid: Kind = {
  size: 16,
  bytes: (text) => Buffer.from(text.replaceAll("-", ""), "hex"),
  text: (number) =>
    hexOf(number, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")
}

const hash: Kind = {
  size: 32,
  bytes: hexBytes,
  text: (number) => hexMark + hexOf(number, 64)
}

const lowerAddress: Kind = {
  size: 20,
  bytes: hexBytes,
  text: (number) => hexMark + hexOf(number, 40)
}

const time: Kind = {
  size: 6,
  // Not every day of the form is one.
  bytes: (text) => {
    const ms = Date.parse(text)
    return ms > 0 && isoOf(ms) === text ? numberBytes(ms, 6) : undefined
  },
  text: (number) => isoOf(Number(number))
}

const seconds: Kind = {
  size: 4,
  bytes: (text) => numberBytes(Number(text), 4),
  text: String
}

/** By their marks, from the first on. */
const kinds: ReadonlyArray<Kind> = [
  uuid,
  hash,
  lowerAddress,
  address,
  base62Of(22, 17),
  base62Of(24, 18),
  time,
  seconds
]

/** What is looked for, with the letters that tell it where its own do not. */
const forms = new RegExp(
  [
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    `${hexMark}(?:[0-9a-f]{64}|[0-9a-fA-F]{40})(?![0-9a-fA-F])`,
    "pr_[0-9A-Za-z]{22}(?![0-9A-Za-z])",
    "(?:evt|ntc|cs)_[0-9A-Za-z]{24}(?![0-9A-Za-z])",
    "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z",
    ":[1-3]\\d{9}(?=[,}])"
  ].join("|"),
  "gu"
)

/** A value's mark, by how long what was found is, and how many letters of that stand before the value. */
const marksByLength: Readonly<Record<number, readonly [mark: number, before: number]>> = {
  36: [1, 0],
  66: [2, 0],
  42: [3, 0],
  25: [5, "pr_".length],
  27: [6, "cs_".length],
  28: [6, "evt_".length],
  24: [7, 0],
  11: [8, ":".length]
}

const lowerMark = 3
const capitals = /[A-F]/u

/** Of a value that stood before, its place among all follows this mark, as a letter from the blank on. */
const again = kinds.length + 1
const firstPlace = 32
const maxValues = 90

const marks = new RegExp(`[\\u0001-\\u${again.toString(16).padStart(4, "0")}]`, "u")
const marksWithPlaces = new RegExp(
  `\\u${again.toString(16).padStart(4, "0")}.|[\\u0001-\\u${(again - 1).toString(16).padStart(4, "0")}]`,
  "gu"
)

/** The text with marks, and the values; undefined where the text has such letters itself. */
export const takeOut = (
  text: string
): { readonly marked: string; readonly values: Uint8Array } | undefined => {
  if (marks.test(text)) return undefined
  const places = new Map<string, number>()
  const values: Array<Uint8Array> = []
  const marked = text.replaceAll(forms, (found) => {
    const [form = 0, before = 0] = marksByLength[found.length] ?? []
    const value = before === 0 ? found : found.slice(before)
    const letters = before === 0 ? "" : found.slice(0, before)
    const place = places.get(value)
    if (place !== undefined) {
      return letters + String.fromCharCode(again, firstPlace + place)
    }
    const mark = form === lowerMark && capitals.test(value) ? lowerMark + 1 : form
    const bytes = places.size === maxValues ? undefined : kinds[mark - 1]?.bytes(value)
    if (bytes === undefined) return found
    places.set(value, places.size)
    values.push(bytes)
    return letters + String.fromCharCode(mark)
  })
  return { marked, values: Buffer.concat(values) }
}

export const putBack = (marked: string, values: Uint8Array): string => {
  const hex = Buffer.from(values).toString("hex")
  const known: Array<string> = []
  let from = 0
  return marked.replaceAll(marksWithPlaces, (mark) => {
    if (mark.length > 1) return known[mark.charCodeAt(1) - firstPlace] ?? ""
    const kind = kinds[mark.charCodeAt(0) - 1]
    if (kind === undefined) return mark
    const to = from + 2 * kind.size
    const value = kind.text(BigInt(hexMark + hex.slice(from, to)))
    from = to
    known.push(value)
    return value
  })
}
