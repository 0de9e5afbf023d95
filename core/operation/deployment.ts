/** Facts of this installation that operations print or obey; every one has one value per process. */
import { Context } from "effect"
import type { Limits } from "../policy/limits.ts"
import { type Plans, plans } from "../policy/plan.ts"
import { type TierName, tiers } from "../policy/tier.ts"
import type { Listed } from "../tokens/token.ts"
import * as Budget from "./rate-limit.ts"

export class Deployment extends Context.Service<
  Deployment,
  {
    /** Where the service is reached, without a trailing slash: `http://localhost:4000`. */
    readonly siteUrl: string
    /** False in the sandbox; carried by accounts and by every webhook event. */
    readonly livemode: boolean
    /** A transfer below this that completes nothing never changes a status (contract, Payment requests). */
    readonly dustMicro: bigint
    /** How long one call may hold an idempotency key before another may take it over. */
    readonly idempotencyLeaseMs: number
    /** How many calls a minute a key may make, by budget. */
    readonly budgets: Budget.Limits
    /** The spending limits of each tier. */
    readonly tiers: Readonly<Record<TierName, Limits>>
    /** What agents' accounts pay for. */
    readonly plans: Plans
    /** The wallet plans are paid to, in display form; null while none is sold. */
    readonly plansPayTo: string | null
    /** Tokens the operator vouches for, beside those everybody knows. */
    readonly tokens: ReadonlyArray<Listed>
  }
>()("bursar/Deployment") {}

const noTokens: ReadonlyArray<Listed> = []
const nobody: string | null = null

export const defaults = {
  dustMicro: 10_000n,
  idempotencyLeaseMs: 60_000,
  budgets: Budget.defaults,
  tiers,
  plans,
  plansPayTo: nobody,
  tokens: noTokens
}
