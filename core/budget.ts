/**
 * How budgets of calls are counted: in windows of a minute that all turn over at the full minute, so that
 * only who called in this one is remembered. A refused call draws nothing.
 */
import type { Budget } from "./operation.ts"
import type { Allowance } from "./ports/rate-limits.ts"

/** Calls per key and minute for each budget, and failed authentications per client address and minute. */
export interface Limits extends Readonly<Record<Budget, number>> {
  readonly failures: number
}

/** The contract's figures. */
export const defaults: Limits = { reads: 600, writes: 120, quotes: 60, confirms: 30, failures: 30 }

export const windowMs = 60_000

/** Which window an instant lies in. */
export const windowOf = (nowMs: number): number => Math.floor(nowMs / windowMs)

/** What is allowed once so many were drawn in the present window. */
export const standing = (limit: number, spent: number, nowMs: number): Allowance => {
  const remaining = Math.max(0, limit - spent)
  const resetSeconds = Math.ceil(((windowOf(nowMs) + 1) * windowMs - nowMs) / 1000)
  return { allowed: remaining > 0, limit, remaining, resetSeconds }
}
