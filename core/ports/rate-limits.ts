/** Budgets of calls. One budget serves REST and tools alike. */
import { Context, type Effect } from "effect"
import type { Budget } from "../operation.ts"

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the budget is whole again, or until the next call is allowed when it is spent. */
  readonly resetSeconds: number
}

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Draws one call from a key's budget. */
    readonly draw: (keyId: string, budget: Budget) => Effect.Effect<Allowance>
    /** Draws one failed authentication from a client address's budget. */
    readonly drawFailure: (clientAddress: string) => Effect.Effect<Allowance>
    /** Whether a client address may still try; draws nothing. */
    readonly mayTry: (clientAddress: string) => Effect.Effect<Allowance>
  }
>()("bursar/ports/RateLimits") {}
