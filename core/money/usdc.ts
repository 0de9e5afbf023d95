/**
 * USDC in its smallest units, six decimals, always a bigint. The two ways in are one strict decimal
 * form and one strict integer form (contract, Amounts); nothing is rounded and no float calculates.
 */
import { Schema, SchemaGetter } from "effect"

export const decimals = 6
const unit = 1_000_000n

const decimalForm = /^(0|[1-9]\d*)(\.\d{1,6})?$/u

/** Far above all USDC there is, far below what any chain or column holds. */
export const maxMicro = 10n ** 18n

/** Reads `12`, `12.5` or `0.000001`; undefined for anything else, zero and the absurdly large included. */
export const parse = (text: string): bigint | undefined => {
  if (text.length > 20 || !decimalForm.test(text)) return undefined
  const [whole = "", fraction = ""] = text.split(".")
  const micro = BigInt(whole) * unit + BigInt(fraction.padEnd(decimals, "0"))
  return micro > 0n && micro <= maxMicro ? micro : undefined
}

/** Reads a JSON number by its shortest decimal form, so that `49.1` is exactly `49.1`. */
export const parseNumber = (value: number): bigint | undefined => parse(String(value))

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

/** A count of smallest units on the wire: a plain decimal integer string, zero allowed on output. */
export const SmallestUnits = Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,77})$/u)).pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((text: string) => BigInt(text)),
    encode: SchemaGetter.transform((units: bigint) => units.toString())
  }),
  Schema.annotate({ description: "Smallest units (6 decimals for USDC) as an integer string." })
)

/** A USDC amount on the wire as a decimal string, `"49.00"`. */
export const Decimal = Schema.String.check(Schema.isPattern(decimalForm)).pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((text: string) => parse(text) ?? 0n),
    encode: SchemaGetter.transform(format)
  }),
  Schema.annotate({ description: "USDC as a decimal string with 2 to 6 fraction digits." })
)
