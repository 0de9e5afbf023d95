/**
 * How calls are counted against rate limits: in fixed one-minute windows aligned to the clock. Rejected
 * calls do not count.
 */
import type { RateLimitClass } from "./definition.ts"
import { RateLimited } from "./refusal.ts"

/** Calls per minute: of a key for each of its rate limits, of a client address for each of its own. */
export interface Limits extends Readonly<Record<RateLimitClass, number>> {
  /** Refused keys, refused sign-ins and refused payments, each counted alone. */
  readonly failures: number
  /** Requests without a key: payment links, the console and the manual, each counted alone. */
  readonly anonymous: number
  /** Questions to one provider of market data, from all accounts together. */
  readonly providers?: number
  /** Questions to one provider of market data, from one account. */
  readonly providerShares?: number
}

/** The contract's figures. */
export const defaults = {
  reads: 600,
  writes: 120,
  quotes: 60,
  confirms: 30,
  failures: 30,
  anonymous: 600,
  providers: 30,
  providerShares: 10
} satisfies Limits

/** What a client without a key counts against. Spending one never spends another. */
const limitNames = {
  failed_keys: "failures",
  failed_sign_ins: "failures",
  failed_payments: "failures",
  sign_ins: "confirms",
  claims: "confirms",
  payment_links: "anonymous",
  plans: "anonymous",
  console: "anonymous",
  site: "anonymous",
  providers: "providers",
  provider_shares: "providerShares"
} as const satisfies Readonly<Record<string, keyof Limits>>

export type ClientRateLimit = keyof typeof limitNames

export const clientLimit = (limits: Limits, rateLimit: ClientRateLimit): number =>
  limits[limitNames[rateLimit]] ?? defaults[limitNames[rateLimit]]

export const windowMs = 60_000

/** Which window an instant lies in. */
export const windowOf = (nowMs: number): number => Math.floor(nowMs / windowMs)

/** What is allowed once so many were drawn in the present window. */
export const allowanceAt = (limit: number, spent: number, nowMs: number): Allowance => {
  const remaining = Math.max(0, limit - spent)
  const resetSeconds = Math.ceil(((windowOf(nowMs) + 1) * windowMs - nowMs) / 1000)
  return { allowed: remaining > 0, limit, remaining, resetSeconds }
}

/** The refusal of a call beyond a rate limit; every surface prints the rate limit's headers from its details. */
export const rateLimited = (
  rateLimit: RateLimitClass | ClientRateLimit,
  { limit, resetSeconds }: Allowance,
  what: string
): RateLimited =>
  new RateLimited({
    message: `${what} Wait ${resetSeconds} seconds.`,
    details: { rateLimit, limit, windowSeconds: windowMs / 1000, retryAfterSeconds: resetSeconds }
  })

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the rate limit is whole again, or until the next call is allowed when it is spent. */
  readonly resetSeconds: number
}
