/** Budgets of calls. One budget serves REST and tools alike. */
import { Context, type Effect } from "effect"
import type { Budget } from "./definition.ts"
import type { Allowance, ClientBudget } from "./rate-limit.ts"

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Draws one call from a key's budget. */
    readonly draw: (keyId: string, budget: Budget) => Effect.Effect<Allowance>
    /** Draws one call from a client's budget; a client is an address, or a network that is one client's own. */
    readonly drawClient: (client: string, budget: ClientBudget) => Effect.Effect<Allowance>
    /** What a client's budget holds; draws nothing. */
    readonly standingOf: (client: string, budget: ClientBudget) => Effect.Effect<Allowance>
  }
>()("bursar/operation/RateLimits") {}
