/**
 * Tiers and billing plans: what an account may send, and what an agent's pays for that, for how long. A plan that
 * has run out locks nothing; from that instant on the account is judged as the smallest one.
 */
import { DateTime } from "effect"
import type { Account } from "../accounts/account.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import type { Limits } from "./limits.ts"

export interface Plan {
  readonly name: string
  /** What it costs. */
  readonly priceMicro: Usdc.Usdc
  /** How long one payment lasts. */
  readonly days: number
  /** How many wallets of its own an account may have; customers' vaults are not counted. */
  readonly maxWallets: number
}

export type Plans = Readonly<Record<TierName, Plan>>

const usdc = (whole: bigint) => Usdc.make(whole * 1_000_000n)
const usd = (whole: bigint) => Usd.make(whole * 1_000_000n)

export const plans: Plans = {
  personal: { name: "Personal", priceMicro: usdc(5n), days: 30, maxWallets: 10 },
  startup: { name: "Startup", priceMicro: usdc(50n), days: 30, maxWallets: 100 }
}

/** What an account falls to when its plan has run out. */
export const fallback: TierName = "personal"

type Subscribed = Pick<Account, "tier" | "subscriptionExpiresAt">

/** Whether the plan has run out at this instant; the instant it ends at is outside of it. */
export const hasRunOut = ({ subscriptionExpiresAt }: Subscribed, at: DateTime.Utc): boolean =>
  subscriptionExpiresAt !== null && DateTime.isGreaterThanOrEqualTo(at, subscriptionExpiresAt)

/** The tier an account is judged by at this instant. */
export const tierAt = (account: Subscribed, at: DateTime.Utc): TierName =>
  hasRunOut(account, at) ? fallback : account.tier

const dayMs = 86_400_000

/**
 * When a plan that is paid for at this instant ends. The same plan goes on after its end; another one
 * begins at once, and what was left of the one before is turned into its days by what both cost.
 */
export const endOf = (account: Subscribed, plan: TierName, plans: Plans, at: DateTime.Utc) => {
  const bought = plans[plan]
  const boughtMs = bought.days * dayMs
  const { subscriptionExpiresAt, tier } = account
  const leftMs =
    subscriptionExpiresAt === null || hasRunOut(account, at)
      ? 0
      : DateTime.toEpochMillis(subscriptionExpiresAt) - DateTime.toEpochMillis(at)
  const before = plans[tier]
  const worthMs =
    tier === plan
      ? leftMs
      : Number(
          (BigInt(leftMs) * before.priceMicro * BigInt(bought.days)) /
            (bought.priceMicro * BigInt(before.days))
        )
  return DateTime.add(at, { milliseconds: boughtMs + worthMs })
}

export type TierName = Account["tier"]

/** What a tier itself bounds; the hard cap stands above every tier. */
export type Caps = Omit<Limits, "hardCapMicro">

export const hardCapMicro = usd(100_000n)

/** Per transfer, day and month, in USDC, by tier. */
export const tiers: Readonly<Record<TierName, Limits>> = {
  personal: {
    perTransferMicro: usd(1_000n),
    dailyMicro: usd(2_500n),
    monthlyMicro: usd(25_000n),
    hardCapMicro
  },
  startup: {
    perTransferMicro: usd(10_000n),
    dailyMicro: usd(50_000n),
    monthlyMicro: usd(500_000n),
    hardCapMicro
  }
}

/** A tier whose bounds contradict each other is refused when it is loaded. */
export const violation = (limits: Caps): string | undefined => {
  if (limits.perTransferMicro > limits.dailyMicro)
    return "the per-transfer cap is above the daily cap"
  if (limits.dailyMicro > limits.monthlyMicro) return "the daily cap is above the monthly cap"
  return undefined
}
