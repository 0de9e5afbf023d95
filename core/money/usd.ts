/**
 * Dollars in millionths, exact: what caps, bands and ledgers are told in. Whoever compares a token's amount with
 * them says first what it is worth.
 */
import { type Brand, Schema, SchemaGetter } from "effect"

/** Micro-USD: 1 USD is 1,000,000. */
export type Usd = bigint & Brand.Brand<"Usd">

export const make = (micro: bigint): Usd => micro as Usd

export const zero = make(0n)

export const add = (one: Usd, other: Usd): Usd => make(one + other)
export const sub = (one: Usd, other: Usd): Usd => make(one - other)
export const min = (one: Usd, other: Usd): Usd => (one < other ? one : other)
export const max = (one: Usd, other: Usd): Usd => (one > other ? one : other)
export const sum = (all: ReadonlyArray<Usd>): Usd => all.reduce(add, zero)

export const decimals = 6
const unit = 1_000_000n

export const decimalForm = /^(0|[1-9]\d*)(\.\d{1,6})?$/u

/** Far above all money there is, far below what any chain or column holds. */
const largest = 10n ** 18n

/** Reads `12`, `12.5` or `0.000001`; undefined for anything else, zero and the absurdly large included. */
export const parse = (text: string): Usd | undefined => {
  if (text.length > 20 || !decimalForm.test(text)) return undefined
  const [whole = "", fraction = ""] = text.split(".")
  const micro = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, "0"))
  return micro > 0n && micro <= largest ? make(micro) : undefined
}

/** Writes two to six fraction digits: `49.00`, `0.000001`. */
export const format = (micro: bigint): string => {
  const sign = micro < 0n ? "-" : ""
  const positive = micro < 0n ? -micro : micro
  const fraction = (positive % unit)
    .toString()
    .padStart(decimals, "0")
    .replace(/0{1,4}$/u, "")
  return `${sign}${positive / unit}.${fraction}`
}

/** On the wire as a decimal string, `"49.00"`. */
export const Decimal = Schema.String.check(
  Schema.isPattern(decimalForm, {
    expected: "a decimal with at most 6 fraction digits, such as 12.50"
  })
).pipe(
  Schema.decodeTo(Schema.BigInt.pipe(Schema.brand("Usd")), {
    decode: SchemaGetter.transform((text: string) => parse(text) ?? 0n),
    encode: SchemaGetter.transform(format)
  }),
  Schema.annotate({ description: "USD as a decimal string with 2 to 6 fraction digits." })
)

/** On the wire as a count of millionths, `"49000000"`. */
export const Micro = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, {
    expected: "a whole number of micro-USD, such as 12500000"
  })
).pipe(
  Schema.decodeTo(Schema.BigInt.pipe(Schema.brand("Usd")), {
    decode: SchemaGetter.transform((text: string) => BigInt(text)),
    encode: SchemaGetter.transform((micro: bigint) => micro.toString())
  }),
  Schema.annotate({ description: "Micro-USD as an integer string." })
)
