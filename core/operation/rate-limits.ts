/** Rate limits of calls. One rate limit serves REST and tools alike. */
import { Context, type Effect } from "effect"
import type { RateLimitClass } from "./definition.ts"
import type { Allowance, ClientRateLimit } from "./rate-limit.ts"

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Consumes one call from a key's rate limit. */
    readonly consume: (keyId: string, rateLimit: RateLimitClass) => Effect.Effect<Allowance>
    /** The same at this instant, where nobody has to be asked for it; left out where somebody has. */
    readonly atHand?: (keyId: string, rateLimit: RateLimitClass, nowMs: number) => Allowance
    /** Consumes one call from a client's rate limit; a client is an address, or a network that is one client's own. */
    readonly consumeClient: (client: string, rateLimit: ClientRateLimit) => Effect.Effect<Allowance>
    /** What a client's rate limit holds; consumes nothing. */
    readonly allowanceOf: (client: string, rateLimit: ClientRateLimit) => Effect.Effect<Allowance>
  }
>()("bursar/operation/RateLimits") {}
