/**
 * What DefiLlama's coins API says, and by which names: read defensively, so that a row it is not sure of,
 * or that is old, is no price at all.
 */
import { DateTime, Predicate } from "effect"
import * as Address from "../../core/chains/address.ts"
import type { TokenId } from "../../core/chains/token-amount.ts"
import * as Decimal from "../../core/money/decimal.ts"

/** A chain's name there, by our id. Test networks are not in it: what is on them has no price. */
export const chainNames: Readonly<Record<string, string>> = {
  ethereum: "ethereum",
  base: "base",
  arbitrum: "arbitrum",
  optimism: "optimism",
  polygon: "polygon"
}

const polygonCoin = "coingecko:polygon-ecosystem-token"

/** The coin's name in questions and answers; undefined when it can have no price. */
export const nameOf = (
  { address, chainId }: TokenId,
  names: Readonly<Record<string, string>>
): string | undefined => {
  const chain = names[chainId]
  if (chain === undefined) return undefined
  if (address !== null) return `${chain}:${address}`
  return chainId === "polygon" ? polygonCoin : "coingecko:ethereum"
}

export interface Row {
  readonly usd: Decimal.Decimal
  readonly at: DateTime.Utc
}

const minConfidence = 0.9
const oldestMs = 3_600_000
/** A row from further in the future than clocks differ is no row of ours. */
const aheadMs = 300_000

const rowOf = (row: unknown, now: DateTime.Utc): Row | undefined => {
  if (!Predicate.isObject(row)) return undefined
  const { price, timestamp, confidence } = row
  if (typeof confidence !== "number" || confidence < minConfidence) return undefined
  if (typeof timestamp !== "number" || !Number.isFinite(timestamp)) return undefined
  const ageMs = DateTime.toEpochMillis(now) - timestamp * 1000
  const usd = Decimal.ofNumber(price)
  if (usd === undefined || usd.units <= 0n || ageMs > oldestMs || ageMs < -aheadMs) return undefined
  return { usd, at: DateTime.min(now, DateTime.makeUnsafe(Math.floor(timestamp) * 1000)) }
}

/** A coin's name with its address in the form of its key: other sources write EVM addresses in any case. */
const keyOf = (name: string): string => {
  const [chain = "", address] = name.split(":")
  return address === undefined ? name : `${chain}:${Address.keyOf(chain, address)}`
}

const coinsOf = (answer: unknown): ReadonlyArray<readonly [string, unknown]> | undefined =>
  Predicate.hasProperty(answer, "coins") && Predicate.isObject(answer.coins)
    ? Object.entries(answer.coins)
    : undefined

/** The prices by coin; undefined when the answer has not its shape. */
export const prices = (
  answer: unknown,
  now: DateTime.Utc
): ReadonlyMap<string, Row> | undefined => {
  const rows = coinsOf(answer)
  if (rows === undefined) return undefined
  return new Map(
    rows.flatMap(([name, row]) => {
      const read = rowOf(row, now)
      return read === undefined ? [] : [[keyOf(name), read] as const]
    })
  )
}

/** The changes in percent by coin; undefined when the answer has not its shape. */
export const changes = (answer: unknown): ReadonlyMap<string, Decimal.Decimal> | undefined => {
  const rows = coinsOf(answer)
  if (rows === undefined) return undefined
  return new Map(
    rows.flatMap(([name, change]) => {
      const read = Decimal.ofNumber(change)
      return read === undefined ? [] : [[keyOf(name), read] as const]
    })
  )
}
