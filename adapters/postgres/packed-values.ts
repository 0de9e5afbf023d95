/**
 * Values that stand in texts and that nothing deflates: ids, hashes, addresses, times. Each is taken out of its text as
 * the bytes that it is, and a mark stays in its place. A mark means the same for ever: another one gets the next number.
 */
import { DateTime } from "effect"

const hexMark = "0x"

interface Kind {
  /** How many bytes it takes. */
  readonly size: number
  /** The whole number that it stands for, in as many bytes; undefined when its text is another than `text` gives. */
  readonly number: (text: string) => bigint
  readonly text: (number: bigint) => string
}

const hexOf = (number: bigint, digits: number) => number.toString(16).padStart(digits, "0")

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const base62Of = (length: number, size: number): Kind => ({
  size,
  number: (text) => [...text].reduce((sum, digit) => sum * 62n + BigInt(base62.indexOf(digit)), 0n),
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
  number: (text) => {
    const digits = text.slice(2)
    const capitals = [...digits].map((digit) => (/[A-F]/u.test(digit) ? "1" : "0")).join("")
    return (BigInt(text) << 40n) | BigInt(`0b${capitals}`)
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

/** By their marks, from the first on, and in the order in which they are looked for. */
const kinds: ReadonlyArray<readonly [form: string, kind: Kind]> = [
  [
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    {
      size: 16,
      number: (text) => BigInt(hexMark + text.replaceAll("-", "")),
      text: (number) =>
        hexOf(number, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")
    }
  ],
  [
    `${hexMark}[0-9a-f]{64}(?![0-9a-fA-F])`,
    { size: 32, number: BigInt, text: (number) => hexMark + hexOf(number, 64) }
  ],
  [
    `${hexMark}[0-9a-f]{40}(?![0-9a-fA-F])`,
    { size: 20, number: BigInt, text: (number) => hexMark + hexOf(number, 40) }
  ],
  [`${hexMark}[0-9a-fA-F]{40}(?![0-9a-fA-F])`, address],
  ["(?<=pr_)[0-9A-Za-z]{22}(?![0-9A-Za-z])", base62Of(22, 17)],
  ["(?<=(?:evt|ntc|cs)_)[0-9A-Za-z]{24}(?![0-9A-Za-z])", base62Of(24, 18)],
  [
    "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z",
    {
      size: 6,
      number: (text) => BigInt(Math.max(0, Date.parse(text) || 0)),
      text: (number) => DateTime.formatIso(DateTime.makeUnsafe(Number(number)))
    }
  ],
  ["(?<=:)[1-3]\\d{9}(?=[,}])", { size: 4, number: BigInt, text: String }]
]

const forms = new RegExp(kinds.map(([form]) => `(${form})`).join("|"), "gu")

/** Of a value that stood before, its place among all follows this mark, as a letter from the blank on. */
const again = kinds.length + 1
const firstPlace = 32
const maxValues = 90

const marks = new RegExp(`[\\u0001-\\u${again.toString(16).padStart(4, "0")}]`, "u")
const marksWithPlaces = new RegExp(
  `\\u${again.toString(16).padStart(4, "0")}.|[\\u0001-\\u${(again - 1).toString(16).padStart(4, "0")}]`,
  "gu"
)

const bytesOf = (number: bigint, size: number) => Buffer.from(hexOf(number, 2 * size), "hex")

/** The text with marks, and the values; undefined where the text has such letters itself. */
export const takeOut = (
  text: string
): { readonly marked: string; readonly values: Uint8Array } | undefined => {
  if (marks.test(text)) return undefined
  const places = new Map<string, number>()
  const values: Array<Uint8Array> = []
  const marked = text.replaceAll(forms, (value, ...groups) => {
    const before = places.get(value)
    if (before !== undefined) {
      return String.fromCharCode(again) + String.fromCharCode(firstPlace + before)
    }
    const at = groups.findIndex((group) => group !== undefined)
    const kind = kinds[at]?.[1]
    if (kind === undefined || places.size === maxValues) return value
    const number = kind.number(value)
    if (kind.text(number) !== value) return value
    places.set(value, places.size)
    values.push(bytesOf(number, kind.size))
    return String.fromCharCode(at + 1)
  })
  return { marked, values: Buffer.concat(values) }
}

export const putBack = (marked: string, values: Uint8Array): string => {
  const hex = Buffer.from(values).toString("hex")
  const known: Array<string> = []
  let from = 0
  return marked.replaceAll(marksWithPlaces, (mark) => {
    if (mark.length > 1) return known[mark.charCodeAt(1) - firstPlace] ?? ""
    const kind = kinds[mark.charCodeAt(0) - 1]?.[1]
    if (kind === undefined) return mark
    const to = from + 2 * kind.size
    const value = kind.text(BigInt(hexMark + hex.slice(from, to)))
    from = to
    known.push(value)
    return value
  })
}
