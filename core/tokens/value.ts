/**
 * What balances are worth. A holding's value is rounded down to a millionth of a dollar once; everything
 * above it is a sum of such values, so that the parts shown always add up to the whole shown.
 */
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import type { Price } from "../ports/prices.ts"

/** By the rule that 1 USD is 1 USDC; nobody is asked. */
export const parity: Price = { usd: Decimal.one, change24hPct: Decimal.zero, asOf: null }

/** Rounded down to a millionth. `balance` is in smallest units of a token of so many decimals. */
export const valueMicro = (
  balance: bigint,
  decimals: number,
  { usd }: Pick<Price, "usd">
): Usd.Usd =>
  Usd.make(
    (balance * usd.units * 10n ** BigInt(Usd.decimals)) / 10n ** BigInt(decimals + usd.places)
  )
