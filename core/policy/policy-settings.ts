/** What the operator sets of limits and plans; each has one value per process. */
import { Context } from "effect"
import type { Address } from "../chains/address.ts"
import type { Usd } from "../money/usd.ts"
import type { Limits } from "./limits.ts"
import type { OutlayCaps } from "./outlay.ts"
import type { Plans, TierName } from "./plan.ts"

export class PolicySettings extends Context.Service<
  PolicySettings,
  {
    /** The spending limits of each tier. */
    readonly tiers: Readonly<Record<TierName, Limits>>
    /** What an account may sell in a day, whole; null for ten times its daily cap on sends. */
    readonly dailyTradeMicro: Usd | null
    /** What agents' accounts pay for. */
    readonly plans: Plans
    /** The wallets plans are paid to, one for a family of chains; none while none is sold. */
    readonly plansPayTo: ReadonlyArray<Address>
    /** How much of a chain's coin may be laid out in a day, by chain. */
    readonly outlay: Readonly<Record<string, OutlayCaps>>
  }
>()("bursar/policy/PolicySettings") {}
