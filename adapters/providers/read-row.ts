/** Values of a provider's rows, read so that what is missing, malformed or absurd is undefined and spoils nothing. */
import { Predicate } from "effect"
import type * as Address from "../../core/chains/address.ts"
import { keyOf, parse } from "../../core/chains/address.ts"
import * as Decimal from "../../core/money/decimal.ts"
import { maxDecimals } from "../../core/tokens/token.ts"

/** Core cuts it further to what is shown. */
const maxCharacters = 256

export type Row = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Row | undefined =>
  Predicate.isObject(value) && !Array.isArray(value) ? (value as Row) : undefined

/** The objects of an array, at most so many; nothing of anything else. */
export const objectsOf = (value: unknown, most: number): ReadonlyArray<Row> =>
  Array.isArray(value)
    ? value.slice(0, most).flatMap((each: unknown): ReadonlyArray<Row> => {
        const row = objectOf(each)
        return row === undefined ? [] : [row]
      })
    : []

/** Cut to a bounded length; empty when it is no text. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, maxCharacters) : ""

/** A price, a value or a volume: above zero or nothing. */
export const amountOf = (value: unknown): Decimal.Decimal | undefined => {
  const read = Decimal.ofNumber(value)
  return read === undefined || read.units <= 0n ? undefined : read
}

const maxPct = 10n ** 9n

/** A change in percent: nothing loses more than all it is worth. */
export const changeOf = (value: unknown): Decimal.Decimal | undefined => {
  const read = Decimal.ofNumber(value)
  if (read === undefined) return undefined
  const scale = 10n ** BigInt(read.places)
  return read.units < -100n * scale || read.units > maxPct * scale ? undefined : read
}

export const decimalsOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxDecimals
    ? value
    : undefined

export const addressOf = (chainId: string, value: unknown): Address.AddressKey | undefined => {
  const address = typeof value === "string" ? parse(chainId, value) : undefined
  return address === undefined ? undefined : keyOf(chainId, address)
}

/** A sum of two amounts, either of which may be missing. */
export const sumOf = (one: unknown, other: unknown): Decimal.Decimal | undefined => {
  const [first, second] = [amountOf(one), amountOf(other)]
  if (first === undefined || second === undefined) return first ?? second
  const places = Math.max(first.places, second.places)
  const units = (each: Decimal.Decimal) => each.units * 10n ** BigInt(places - each.places)
  return { units: units(first) + units(second), places }
}
