/** The spending tiers (contract, Policy): what an account may send by default, and which tier it has now. */
import type { Account } from "../accounts/account.ts"
import type { Limits } from "./limits.ts"

export type TierName = Account["tier"]

/** What a tier itself bounds; the hard cap stands above every tier. */
export type Caps = Omit<Limits, "hardCapMicro">

const usdc = 1_000_000n

export const hardCapMicro = 100_000n * usdc

/** Per transfer, day and month, in USDC, by tier. */
export const tiers: Readonly<Record<TierName, Limits>> = {
  personal: {
    perTransferMicro: 1_000n * usdc,
    dailyMicro: 2_500n * usdc,
    monthlyMicro: 25_000n * usdc,
    hardCapMicro
  },
  startup: {
    perTransferMicro: 10_000n * usdc,
    dailyMicro: 50_000n * usdc,
    monthlyMicro: 500_000n * usdc,
    hardCapMicro
  }
}

/** A tier whose bounds contradict each other is refused when it is loaded. */
export const objection = (limits: Caps): string | undefined => {
  if (limits.perTransferMicro > limits.dailyMicro)
    return "the per-transfer cap is above the daily cap"
  if (limits.dailyMicro > limits.monthlyMicro) return "the daily cap is above the monthly cap"
  return undefined
}
