/**
 * The caps of each tier as settings: `perTransfer/daily/monthly` in USDC, and one hard cap above them all.
 * Caps that contradict each other are refused with the sentence the policy itself has for it.
 */
import { Result } from "effect"
import * as Usd from "../../core/money/usd.ts"
import type { Limits } from "../../core/policy/limits.ts"
import { type Caps, hardCapMicro, type TierName, tiers, violation } from "../../core/policy/plan.ts"
import * as Setting from "./setting.ts"

const plain = (micro: bigint) => Usd.format(micro).replace(/\.00$/u, "")

const capsText = ({ perTransferMicro, dailyMicro, monthlyMicro }: Caps) =>
  [perTransferMicro, dailyMicro, monthlyMicro].map(plain).join("/")

const example = capsText(tiers.personal)

const readCaps = (text: string): Result.Result<Caps, string> => {
  const [perTransferMicro, dailyMicro, monthlyMicro, ...more] = text.split("/").map(Usd.parse)
  if (
    perTransferMicro === undefined ||
    dailyMicro === undefined ||
    monthlyMicro === undefined ||
    more.length > 0
  ) {
    return Result.fail(`must be perTransfer/daily/monthly in USDC, such as ${example}`)
  }
  const caps = { perTransferMicro, dailyMicro, monthlyMicro }
  const objected = violation(caps)
  return objected === undefined
    ? Result.succeed(caps)
    : Result.fail(`is contradictory: ${objected}`)
}

export const tier = (name: TierName) =>
  Setting.parsed(
    `BURSAR_TIER_${name.toUpperCase()}`,
    `Spending caps of the tier \`${name}\` per transfer, UTC day and UTC month, in USDC.`,
    capsText(tiers[name]),
    readCaps
  )

export const hardCap = Setting.parsed(
  "BURSAR_HARD_CAP_USDC",
  "The cap per transfer for all tiers, in USDC.",
  plain(hardCapMicro),
  (text) => {
    const micro = Usd.parse(text)
    return micro === undefined
      ? Result.fail("must be an amount of USDC above zero, such as 100000")
      : Result.succeed(micro)
  }
)

const byTier = "ten times the daily cap"

export const dailyTrade = Setting.parsed(
  "BURSAR_DAILY_TRADE_CAP_USDC",
  "How much an account may sell by swaps and bridges in a UTC day, whole, in USDC.",
  byTier,
  (text): Result.Result<Usd.Usd | null, string> => {
    if (text === byTier) return Result.succeed(null)
    const micro = Usd.parse(text)
    return micro === undefined
      ? Result.fail("must be an amount of USDC above zero, such as 250000")
      : Result.succeed(micro)
  }
)

/** The limits of every tier, under the hard cap. */
export const limitsOf = (
  caps: Readonly<Record<TierName, Caps>>,
  hardCapMicro: Usd.Usd
): Readonly<Record<TierName, Limits>> => ({
  personal: { ...caps.personal, hardCapMicro },
  startup: { ...caps.startup, hardCapMicro }
})
