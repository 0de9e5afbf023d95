/**
 * USDC in its smallest units, six decimals, always a bigint. The two ways in are one strict decimal
 * form and one strict integer form (contract, Amounts); nothing is rounded and no float calculates.
 */
import { type Brand, Schema, SchemaGetter } from "effect"
import * as Usd from "./usd.ts"

/** Micro-USDC: 1 USDC is 1,000,000. */
export type Usdc = bigint & Brand.Brand<"Usdc">

export const decimals = 6

export const make = (micro: bigint): Usdc => micro as Usdc

export const zero = make(0n)

export const add = (one: Usdc, other: Usdc): Usdc => make(one + other)
export const sub = (one: Usdc, other: Usdc): Usdc => make(one - other)
/** What is missing to an amount; zero when there is more. */
export const missing = (amount: Usdc, present: Usdc): Usdc =>
  present >= amount ? zero : sub(amount, present)
export const min = (one: Usdc, other: Usdc): Usdc => (one < other ? one : other)
export const sum = (all: ReadonlyArray<Usdc>): Usdc => all.reduce(add, zero)

/** What it is worth to caps, bands and ledgers: one USDC is one dollar. */
export const toUsd = (micro: Usdc): Usd.Usd => Usd.make(micro)

/** Far above all USDC there is, far below what any chain or column holds. */
export const maxMicro = make(10n ** 18n)

/** Reads `12`, `12.5` or `0.000001`; undefined for anything else, zero and the absurdly large included. */
export const parse = (text: string): Usdc | undefined => {
  const micro = Usd.parse(text)
  return micro === undefined ? undefined : make(micro)
}

/** Reads a JSON number by its shortest decimal form, so that `49.1` is exactly `49.1`. */
export const parseNumber = (value: number): Usdc | undefined => parse(String(value))

/** Writes two to six fraction digits: `49.00`, `0.000001`. */
export const format: (micro: bigint) => string = Usd.format

const toUnits = {
  decode: SchemaGetter.transform((text: string) => BigInt(text)),
  encode: SchemaGetter.transform((units: bigint) => units.toString())
}
const description = "Smallest units (6 decimals for USDC) as an integer string."

/** A count of smallest units on the wire: a plain decimal integer string, zero allowed on output. */
export const SmallestUnits = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, {
    expected: "a whole number of smallest units, such as 12500000"
  })
).pipe(Schema.decodeTo(Schema.BigInt, toUnits), Schema.annotate({ description }))

/** The same, of USDC. */
export const Units = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, {
    expected: "a whole number of smallest units, such as 12500000"
  })
).pipe(
  Schema.decodeTo(Schema.BigInt.pipe(Schema.brand("Usdc")), toUnits),
  Schema.annotate({ description })
)

/** A USDC amount on the wire as a decimal string, `"49.00"`. */
export const Decimal = Schema.String.check(
  Schema.isPattern(Usd.decimalForm, {
    expected: "a decimal with at most 6 fraction digits, such as 12.50"
  })
).pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((text: string) => parse(text) ?? 0n),
    encode: SchemaGetter.transform(format)
  }),
  Schema.annotate({ description: "USDC as a decimal string with 2 to 6 fraction digits." })
)
