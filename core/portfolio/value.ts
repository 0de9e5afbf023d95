/** How a whole changes with its parts: by what the same balances were worth a day ago. */
import * as Decimal from "../money/decimal.ts"
import type * as Usd from "../money/usd.ts"

/** A value and by how much it changed; undefined where that is not known. */
export interface Part {
  readonly valueMicro: Usd.Usd
  readonly change24hPct: Decimal.Decimal | undefined
}

const finer = 10n ** 18n

/** What the same balance was worth a day ago, in a fine unit; undefined when no value can have changed so. */
const dayAgo = ({ valueMicro: now, change24hPct }: Part): bigint | undefined => {
  if (now === 0n) return 0n
  if (change24hPct === undefined) return undefined
  const hundred = 100n * 10n ** BigInt(change24hPct.places)
  const factor = hundred + change24hPct.units
  return factor <= 0n ? undefined : (now * finer * hundred) / factor
}

/**
 * The change of a whole: what its parts are worth against what the same balances were worth a day ago, in
 * percent with two places. Undefined as soon as one part of any value has an unknown change.
 */
export const changeOf = (parts: ReadonlyArray<Part>): Decimal.Decimal | undefined => {
  let [now, before] = [0n, 0n]
  for (const part of parts) {
    const past = dayAgo(part)
    if (past === undefined) return undefined
    now += part.valueMicro * finer
    before += past
  }
  if (before === 0n) return undefined
  return { units: Decimal.nearest((now - before) * 10_000n, before), places: 2 }
}
