/**
 * Decimal numbers of any scale, exact in a bigint: prices and percentages as others write them. A number
 * is taken by its shortest text, so that `1e-7` and `0.0000001` are the same; no float calculates.
 */

/** The value is `units / 10^places`. */
export interface Decimal {
  readonly units: bigint
  readonly places: number
}

export const zero: Decimal = { units: 0n, places: 0 }
export const one: Decimal = { units: 1n, places: 0 }

/** Fraction digits beyond these are dropped, towards zero: far finer than any price is known. */
export const maxPlaces = 24
const maxExponent = 40

const form = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/u

const tenTo = (exponent: number): bigint => 10n ** BigInt(exponent)

/** Reads a plain or exponent form; undefined for anything else and for the absurdly large. */
export const parse = (text: string): Decimal | undefined => {
  const found = form.exec(text)
  if (found === null) return undefined
  const [, sign, whole = "", fraction = "", exponent = "0"] = found
  const shift = Number(exponent)
  if (Math.abs(shift) > maxExponent) return undefined
  const digits = BigInt(whole + fraction)
  const signed = sign === "-" ? -digits : digits
  const places = fraction.length - shift
  if (places < 0) return { units: signed * tenTo(-places), places: 0 }
  if (places <= maxPlaces) return { units: signed, places }
  return { units: signed / tenTo(places - maxPlaces), places: maxPlaces }
}

/** Reads a JSON number by its shortest text; undefined for what is no finite number. */
export const ofNumber = (value: unknown): Decimal | undefined =>
  typeof value === "number" ? parse(String(value)) : undefined

/** Writes all fraction digits that say something, and at least so many: `1.00`, `0.0000001`. */
export const format = ({ units, places }: Decimal, minPlaces = 2): string => {
  const sign = units < 0n ? "-" : ""
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0")
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/u, "")
  const shown = fraction.padEnd(minPlaces, "0")
  return shown === "" ? sign + whole : `${sign}${whole}.${shown}`
}

/** `numerator / denominator` to the nearest whole, halves away from zero; the denominator is above zero. */
export const nearest = (numerator: bigint, denominator: bigint): bigint => {
  const half = numerator < 0n ? -denominator : denominator
  return (2n * numerator + half) / (2n * denominator)
}

/** Rounds to so many places, halves away from zero. */
export const rounded = ({ units, places }: Decimal, to: number): Decimal =>
  places <= to
    ? { units: units * tenTo(to - places), places: to }
    : { units: nearest(units, tenTo(places - to)), places: to }
