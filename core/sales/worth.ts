/**
 * What a trade is worth and what it puts at risk, in USD, by prices that its venue has no part in. Every rounding
 * goes against the trade: what is sold is worth more, what is bought is worth less.
 */
import type { Decimal } from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"

/** An amount of a token, with the token's decimals. */
export interface Units {
  readonly units: bigint
  readonly decimals: number
}

interface Priced {
  readonly usd: Decimal
}

const tenTo = (exponent: number): bigint => 10n ** BigInt(exponent)

const dividedUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator

const parts = ({ decimals, units }: Units, { usd }: Priced) => ({
  numerator: units * usd.units * tenTo(Usd.decimals),
  denominator: tenTo(decimals + usd.places)
})

/** Rounded up to a millionth: of what is sold, and of fees. */
export const worthUp = (amount: Units, price: Priced): Usd.Usd => {
  const { denominator, numerator } = parts(amount, price)
  return Usd.make(dividedUp(numerator, denominator))
}

/** Rounded down to a millionth: of what is bought. Without a price it is worth nothing. */
export const worthDown = (amount: Units, price: Priced | undefined): Usd.Usd => {
  if (price === undefined) return Usd.zero
  const { denominator, numerator } = parts(amount, price)
  return Usd.make(numerator / denominator)
}

/** So many whole units as cost this much at the price, rounded down. */
export const unitsFor = (amountMicro: Usd.Usd, decimals: number, { usd }: Priced): bigint =>
  usd.units <= 0n
    ? 0n
    : (amountMicro * tenTo(decimals + usd.places)) / (usd.units * tenTo(Usd.decimals))

const max = (one: Usd.Usd, other: Usd.Usd): Usd.Usd => (one > other ? one : other)

/** What a sale is worth: by our price, or by what the venue gives for it where that is more. */
export const soldWorth = (
  sold: Units,
  soldPrice: Priced,
  quoted: Units,
  boughtPrice: Priced | undefined
): Usd.Usd => max(worthUp(sold, soldPrice), worthDown(quoted, boughtPrice))

/** What may be lost: the worth of what is sold, less that of the least that comes back, and all fees. */
export const valueAtRisk = (soldMicro: Usd.Usd, minMicro: Usd.Usd, feesMicro: Usd.Usd): Usd.Usd =>
  Usd.add(max(Usd.zero, Usd.sub(soldMicro, minMicro)), feesMicro)

/** Further from our price than this, a venue's quote is no price; in basis points. */
const rangeBps = 300n

/** Whether a venue's quote is within three percent of our price, on either side; what has no price cannot be told. */
export const isInRange = (
  sold: Units,
  soldPrice: Priced,
  quoted: Units,
  boughtPrice: Priced | undefined
): boolean => {
  if (boughtPrice === undefined) return true
  const [given, got] = [worthUp(sold, soldPrice), worthDown(quoted, boughtPrice)]
  const apart = given > got ? given - got : got - given
  return apart * 10_000n <= given * rangeBps
}

const wholeBps = 10_000n

/** The least that is signed for: what was quoted less slippage, rounded up. */
export const floorOf = (quoted: bigint, slippageBps: number): bigint =>
  dividedUp(quoted * (wholeBps - BigInt(slippageBps)), wholeBps)

/** The least that a quote in range can have come down to. */
export const minInRange = (units: bigint): bigint => floorOf(units, Number(2n * rangeBps))
