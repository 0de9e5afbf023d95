/** Facts of this installation that every operation may print or obey; each has one value per process. */
import { Context } from "effect"
import type * as RateLimit from "./rate-limit.ts"

export class Deployment extends Context.Service<
  Deployment,
  {
    /** Where the service is reached, without a trailing slash: `http://localhost:4000`. */
    readonly siteUrl: string
    /** False in the sandbox; carried by accounts and by every webhook event. */
    readonly livemode: boolean
    /** How long one call may hold an idempotency key before another may take it over. */
    readonly idempotencyLeaseMs: number
    /** Calls a minute, as the guide tells them. */
    readonly rateLimits: RateLimit.Limits
  }
>()("bursar/operation/Deployment") {}
